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
    continueTo === undefined ? "" : `<meta http-equiv="refresh" content="0; url=${escapeHtml(continueTo)}">`
  const anchor = link ? `<p><a href="${escapeHtml(link.path)}">${escapeHtml(link.text)}</a></p>` : ""
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">${refresh}</head>
<body><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${anchor}</body></html>
`
  response.status(status).type("html").send(html)
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
