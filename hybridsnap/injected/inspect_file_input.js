// `again`: it was held against what was shown before, and is once more.
function (again) {
  // @include control_at
  const kind = at ? kindOf(at) : "";
  if (kind !== "file") return { kind };
  const refused = !get(Node, "isConnected", at) ? "detached" : matches(at, ":disabled") ? "disabled"
    : again ? changed() : "";
  return { kind, refused, multiple: at.multiple, directory: at.webkitdirectory };
}
