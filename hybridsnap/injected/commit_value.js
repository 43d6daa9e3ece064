// Chromium fires `change` for what was typed when the field loses the focus, also by script.
function () {
  // @include controls
  // @include control_at
  if (at && isActive(hostOf(at))) HTMLElement.prototype.blur.call(hostOf(at));
  return {};
}
