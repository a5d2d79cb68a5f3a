/** Markup that `html` made, or a constant. So no other text gets into a page unescaped. */
export type Html = { readonly markup: string }

type Part = Html | readonly Html[] | string

/** The template's own text is markup; what is inserted as text is escaped. */
export function html(template: TemplateStringsArray, ...parts: Part[]): Html {
  return { markup: String.raw({ raw: template }, ...parts.map(markupOf)) }
}

function markupOf(part: Part): string {
  if (typeof part === "string")
    return part.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  return "markup" in part ? part.markup : part.map(markupOf).join("")
}
