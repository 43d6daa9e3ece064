// From a node upwards, out of shadow roots.
// @include prototypes
const parentOf = reader(Node, "parentNode"), shadowHost = reader(ShadowRoot, "host");
const composedParent = (node) => parentOf(node) || (node instanceof ShadowRoot ? shadowHost(node) : null);
