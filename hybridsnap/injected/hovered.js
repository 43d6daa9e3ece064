// On the node: whether the pointer is over it, as far as the page knows; out of sight nothing is drawn, and
// nothing known.
function () {
  // @include pointing
  // By itself, in quirks mode, ":hover" means links only.
  return isHidden(document) || !(subject instanceof Element)
    || [subject, standIn()].some((one) => one && matches(one, ":is(*):hover"));
}
