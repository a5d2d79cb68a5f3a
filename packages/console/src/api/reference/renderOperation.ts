import { type Html, html } from "../../page/sendPage.ts"
import {
  type MediaType,
  type OpenApi,
  type Operation,
  type Response,
  resolveResponse,
} from "../openapi/jsonSchema.ts"
import { inline, linkTo, paragraphs, renderFields, renderParameters } from "./renderSchema.ts"

type Place = { path: string; method: string; operation: Operation }

export function renderOperation(document: OpenApi, { path, method, operation }: Place): Html {
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
  const problem = content?.["application/problem+json"]
  if (problem) {
    const { code } = problem.example as { code: string }
    return html`<dt>${status} <a href="/problems/${code}">${code}</a></dt>
<dd>${inline(description)}</dd>
`
  }
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
