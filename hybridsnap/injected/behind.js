// Called on a node: the open dialog that it is behind; null without one, and where the node is not displayed.
function () {
  // @include guards
  return shown(subject, { visibilityProperty: true }) ? behind(null) ?? null : null;
}
