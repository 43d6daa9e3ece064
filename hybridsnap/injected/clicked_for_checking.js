function () {
  // @include controls
  // @include control_at
  // @include labelled
  return isShown(meant) ? meant : [...meant.labels].find((one) => isShown(one)) ?? meant;
}
