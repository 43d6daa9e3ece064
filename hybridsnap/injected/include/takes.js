// What in a label does not hand clicks on to its control (measured); what only has a tabindex, it does.
const TAKES = "a[href], button, input, select, textarea, summary, details, iframe, object, embed, "
  + "video[controls], audio[controls], img[usemap]";
