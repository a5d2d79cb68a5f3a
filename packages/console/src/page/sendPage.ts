import type { Response } from "express"

type Page = {
  title: string
  text: string
  link?: { path: string; text: string }
  /** A path of the console that the browser opens at once. */
  continueTo?: string
}

/** Sends a page without scripts and styles, which needs no build. */
export function sendPage(response: Response, status: number, { title, text, link, continueTo }: Page): void {
  const refresh =
    continueTo === undefined ? "" : html`<meta http-equiv="refresh" content="0; url=${continueTo}">`
  const anchor = link ? html`<p><a href="${link.path}">${link.text}</a></p>` : ""
  const { markup } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">${refresh}</head>
<body><h1>${title}</h1><p>${text}</p>${anchor}</body></html>
`
  response.status(status).type("html").send(markup)
}

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
