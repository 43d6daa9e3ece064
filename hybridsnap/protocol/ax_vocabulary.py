"""The words of Chromium's accessibility tree: roles and property names.

A large page says ``StaticText`` a hundred thousand times. Read as a known word, all of them are one string,
which takes a quarter off a tree's memory. A word that is not here costs the reply a second reading
(`hybridsnap.protocol.ax_reply.read_ax_tree`); and a role that is not ARIA's is printed in ARIA's words
(`hybridsnap.capture.aria_words`).

Source: WAI-ARIA 1.2, DPUB-ARIA 1.1, Graphics-ARIA; ``ax::mojom::Role`` and ``Accessibility.AXPropertyName``
of Chromium 156 for what ARIA does not name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

_ARIA = """
    alert alertdialog application article banner blockquote button caption cell checkbox code columnheader
    combobox comment complementary contentinfo definition deletion dialog directory document emphasis feed
    figure form generic grid gridcell group heading image img insertion link list listbox listitem log main
    mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option
    paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search
    searchbox separator slider spinbutton status strong subscript suggestion superscript switch tab table
    tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem
    doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink doc-biblioentry doc-bibliography
    doc-biblioref doc-chapter doc-colophon doc-conclusion doc-cover doc-credit doc-credits doc-dedication
    doc-endnote doc-endnotes doc-epigraph doc-epilogue doc-errata doc-example doc-footnote doc-foreword
    doc-glossary doc-glossref doc-index doc-introduction doc-noteref doc-notice doc-pagebreak doc-pagefooter
    doc-pageheader doc-pagelist doc-part doc-preface doc-prologue doc-pullquote doc-qna doc-subtitle doc-tip
    doc-toc
    graphics-document graphics-object graphics-symbol
"""
#: WAI-ARIA 1.2, DPUB-ARIA and Graphics, and of ARIA 1.3 what Chromium says.
ARIA_ROLES = frozenset(_ARIA.split())
#: Chromium's own.
_CHROMIUM = """
    Abbr ActiveDescendant Audio Canvas Caret Client ColorWell Column Date DateTime DescriptionList
    DescriptionListDetail DescriptionListTerm Desktop Details DisclosureTriangle DisclosureTriangleGrouped
    EmbeddedObject Figcaption FooterAsNonLandmark HeaderAsNonLandmark Iframe IframePresentational ImageMap
    ImeCandidate InlineTextBox InputTime Keyboard LabelText LayoutTable LayoutTableCell LayoutTableRow Legend
    LineBreak ListGrid ListMarker MathMLFraction MathMLIdentifier MathMLMath MathMLMultiscripts
    MathMLNoneScript MathMLNumber MathMLOperator MathMLOver MathMLPrescriptDelimiter MathMLRoot MathMLRow
    MathMLSquareRoot MathMLStringLiteral MathMLSub MathMLSubSup MathMLSup MathMLTable MathMLTableCell
    MathMLTableRow MathMLText MathMLUnder MathMLUnderOver MenuListOption MenuListPopup Pane
    PdfActionableHighlight PdfRoot PluginObject PopUpButton Pre RootWebArea Ruby RubyAnnotation ScrollView
    Section SectionFooter SectionHeader StaticText SvgRoot TableHeaderContainer Terminal TitleBar Unknown
    Video WebArea WebView Window
"""
#: All of them, in lower case.
LOWER_ROLES = frozenset((_ARIA + _CHROMIUM).lower().split())
_PROPERTIES = """
    actions activeAriaModalDialog activeFullscreenElement activeModalDialog activedescendant ariaHiddenElement
    ariaHiddenSubtree atomic autocomplete busy checked controls describedby details disabled editable emptyAlt
    emptyText errormessage expanded flowto focusable focused hasPopup hidden hiddenRoot
    inactiveCarouselTabContent inertElement inertSubtree invalid keyshortcuts labelContainer labelFor
    labelledby level live modal multiline multiselectable notRendered notVisible orientation owns
    presentationalRole pressed probablyPresentational readonly relevant required roledescription root selected
    settable uninteresting url valuemax valuemin valuetext
"""

if TYPE_CHECKING:
    KnownRole: TypeAlias = str
    KnownProperty: TypeAlias = str
else:
    KnownRole = Literal[tuple(sorted(ARIA_ROLES.union(_CHROMIUM.split())))]
    KnownProperty = Literal[tuple(_PROPERTIES.split())]
