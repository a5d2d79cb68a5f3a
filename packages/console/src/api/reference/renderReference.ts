import { type Html, html } from "../../page/sendPage.ts"
import { type OpenApi, operationsOf } from "../openapi/jsonSchema.ts"
import { renderOperation } from "./renderOperation.ts"
import { inline, paragraphs, renderFields, schemaId, typeOf } from "./renderSchema.ts"
import { style } from "./style.ts"

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
  ([name, { description, example }]) => html`<dt><code>${name}</code></dt>
<dd>${inline(description ?? "")} Example: <code>${String(example)}</code></dd>
`,
)}</dl>
</section>
</main>
</body>
</html>
`.markup
}

const entry = (id: string, text: string): Html => html`<li><a href="#${id}">${text}</a></li>\n`
