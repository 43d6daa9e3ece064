function () {
  // @include control_at
  const changes = at.files.length > 0;
  if (changes) {
    at.value = "";
    fire(at, "input");
    fire(at, "change");
  }
  return { changes };
}
