import { type Html, html } from "../../page/sendPage.ts"
import {
  type MediaType,
  type OpenApi,
  type Operation,
  operationsOf,
  type Response,
  resolveResponse,
} from "../openapi/jsonSchema.ts"
import {
  inline,
  linkTo,
  paragraphs,
  renderFields,
  renderParameters,
  schemaId,
  typeOf,
} from "./renderSchema.ts"

/**
 * A page without scripts, which needs no other file: it can be saved and read without the console. Redoc (1.1 MB) always requests a
 * logo from its vendor's host, has no dark colours, and axe rejects its headings. Scalar (3.6 MB) needs inline styles in the policy.
 */
export function renderReference(document: OpenApi): string {
  const { info, components } = document
  const operations = operationsOf(document)
  const tags = document.tags.map(({ name, description }) => ({
    id: `tag-${name.toLowerCase().replaceAll(" ", "-")}`,
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags?.includes(name)),
  }))
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${info.title} ${info.version}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<style>${{ markup: style }}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<nav aria-label="Operations">
<ul>
${tags.map(
  (tag) => html`<li><a href="#${tag.id}">${tag.name}</a>
<ul>
${tag.operations.map(({ operation }) => entry(operation.operationId, operation.summary))}</ul>
</li>
`,
)}${entry("schemas", "Schemas")}${entry("headers", "Response headers")}</ul>
</nav>
<main id="main" tabindex="-1">
<h1>${info.title} ${info.version}</h1>
${paragraphs(info.description)}${paragraphs(components.securitySchemes.key.description)}
<p>Programs read <a href="/openapi.json">the OpenAPI document</a>, from which this page is made. <a href="/llms.txt">llms.txt</a> lists all documents.</p>
${tags.map(
  (tag) => html`<section>
<h2 id="${tag.id}">${tag.name}</h2>
<p>${tag.description}</p>
${tag.operations.map((place) => renderOperation(document, place))}</section>
`,
)}<section>
<h2 id="schemas">Schemas</h2>
<p>The JSON of requests and responses. Responses may get further fields in later versions.</p>
${Object.entries(components.schemas).map(
  ([name, schema]) => html`<h3 id="${schemaId(name)}"><a href="#${schemaId(name)}">${name}</a></h3>
${schema.description ? paragraphs(schema.description) : ""}${schema.properties || schema.oneOf ? renderFields(schema) : html`<p>${typeOf(schema)}</p>`}`,
)}</section>
<section>
<h2 id="headers">Response headers</h2>
<dl>
${Object.entries(components.headers).map(
  ([name, { description }]) => html`<dt><code>${name}</code></dt>
<dd>${inline(description ?? "")}</dd>
`,
)}</dl>
</section>
</main>
</body>
</html>
`.markup
}

const entry = (id: string, text: string): Html => html`<li><a href="#${id}">${text}</a></li>\n`

type Place = { path: string; method: string; operation: Operation }

function renderOperation(document: OpenApi, { path, method, operation }: Place): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation
  return html`<article id="${operationId}">
<h3><a href="#${operationId}">${summary}</a></h3>
<p><b>${method.toUpperCase()}</b> <code>${path}</code></p>
${paragraphs(description)}${section("Parameters", renderParameters(parameters))}${section(
  "Request",
  renderContent(requestBody?.content),
)}<h4>Responses</h4>
<dl>
${Object.entries(responses).map(([status, response]) => renderResponse(document, status, response))}</dl>
</article>
`
}

function section(title: string, content: readonly Html[]): Html[] {
  return content.length === 0 ? [] : [html`<h4>${title}</h4>\n${content}`]
}

function renderResponse(document: OpenApi, status: string, response: Response): Html {
  const { description = "", content, headers = {} } = resolveResponse(document, response) ?? {}
  const codes = Object.keys(content?.["application/problem+json"]?.examples ?? {})
  if (codes.length > 0)
    return html`<dt>${status}${codes.map((code) => html` <a href="/problems/${code}">${code}</a>`)}</dt>
<dd>${inline(description)}</dd>
`
  const names = Object.keys(headers).map((name, index) => html`${index > 0 ? ", " : ""}<code>${name}</code>`)
  return html`<dt>${status}</dt>
<dd>${inline(description)}${names.length > 0 ? html` Headers: ${names}.` : ""}
${renderContent(content)}</dd>
`
}

function renderContent(content: Record<string, MediaType> = {}): Html[] {
  return Object.entries(content).map(([type, { schema }]) => {
    const named = schema?.$ref === undefined ? "" : html`: ${linkTo(schema.$ref)}`
    return html`<p>${type}${named}</p>
${schema ? renderFields(schema) : ""}`
  })
}

/** Nothing scrolls sideways: code is broken instead, so that it can be read and copied on a phone. */
export const style = `
:root {
  color-scheme: light dark;
  --text: #1f2328; --muted: #57606a; --line: #d0d7de; --code: #f3f5f8; --link: #0757ba; --page: #fff;
}
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --muted: #a3adb8; --line: #30363d; --code: #1b2129; --link: #79b8ff; --page: #0d1117; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); }
a { color: var(--link); }
main, nav { padding: 1rem; overflow-wrap: anywhere; }
main { max-width: 60rem; }
nav { max-height: 50vh; overflow: auto; border-bottom: 1px solid var(--line); }
nav ul { margin: 0; padding: 0; list-style: none; }
nav ul ul { padding-left: 1rem; }
nav a { display: block; padding: .25rem 0; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; background: var(--page); }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
h3 { margin: 2.5rem 0 .5rem; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover, h3 a:focus { text-decoration: underline; }
h4 { margin: 1.25rem 0 .25rem; }
code { font: .9em/1.5 ui-monospace, monospace; background: var(--code); border-radius: .25rem; padding: .1em .25em; }
dl { margin: .5rem 0; }
dt { margin-top: .5rem; }
dd { margin: 0 0 0 1rem; color: var(--muted); }
:target { scroll-margin-top: 1rem; outline: 2px solid var(--link); outline-offset: .5rem; }
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; max-height: none; height: 100vh; border: 0; border-right: 1px solid var(--line); }
  main { padding: 1rem 2rem; }
}
`
