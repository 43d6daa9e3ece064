// Ends when the page has heard of a selection that was just made: `selectionchange` comes with its next frame, and
// editors read the selection a moment after it, unless a press comes first.
async function () {
  await new Promise((done) => {
    requestAnimationFrame(done);
    setTimeout(done, document.hidden ? 100 : 1000);  // where nothing is drawn
  });
  await new Promise((done) => setTimeout(done, 10));
}
