function () {
  // @include pointing
  return { disabled: isDisabled() };
}
