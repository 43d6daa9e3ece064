// In a frame beside: (key, presses, hold) → true: a guard that lets no press through.
function (key, presses, hold) { return (function () {
  // @include guards
  guard(key, () => false, presses, hold);
  return true;
}).call(document); }
