function () {
  // @include controls
  // @include control_at
  const kind = at ? kindOf(at) : "";
  if (kind !== "file") return { kind };
  const refused = !get(Node, "isConnected", at) ? "detached" : matches(at, ":disabled") ? "disabled" : "";
  return { kind, refused, multiple: at.multiple, directory: at.webkitdirectory };
}
