import { parseSync } from "oxc-parser"
import type { Source } from "../sources.ts"

const levels = ["fatal", "error", "warn", "info", "debug"] as const
type Level = (typeof levels)[number]

export type LogEvent = { levels: Level[]; message: string; fields: string[] }
export type OwnedLogEvent = LogEvent & { owner: string; source: string }

type Node = { type: string; start: number; [property: string]: unknown }
type Scope = { path: string; text: string; nodes: readonly Node[] }

export function readLogs(sources: readonly Source[]): OwnedLogEvent[] {
  return sources.flatMap(({ owner, path, text }) =>
    readLogEvents(path, text).map((event) => ({ ...event, owner, source: path })),
  )
}

/**
 * Finds the lines that a source file logs: calls such as `log.warn({ topic }, "text")`, and calls of functions that log
 * the text `failed`. Throws if the fields or the text of a call cannot be read.
 */
export function readLogEvents(path: string, text: string): LogEvent[] {
  const scope = { path, text, nodes: flatten(parseSync(path, text).program) }
  return scope.nodes.filter(({ type }) => type === "CallExpression").flatMap((call) => readCall(scope, call))
}

const logFailed = ["repeatUntilClosed", "startPublishingRows"]

/** Inside these functions: the text is found at their callers. */
function isFailedText(message: Node): boolean {
  return message.type === "Identifier" && message.name === "failed"
}

function readCall(scope: Scope, call: Node): LogEvent[] {
  const callee = call.callee as Node
  const [first, second] = call.arguments as Node[]
  if (callee.type === "Identifier" && logFailed.includes(nameOf(callee)) && first) {
    const message = property(first, "failed")
    if (!message || isFailedText(message)) return []
    return [{ levels: ["warn"], message: readTexts(scope, message).join(), fields: ["error"] }]
  }
  if (callee.type !== "MemberExpression" || !isLogger(callee.object as Node) || !first) return []
  const called = readLevels(scope, callee)
  if (called.length === 0) return []
  const message = second ?? first
  if (isFailedText(message)) return []
  const fields = second ? [...new Set(readFields(scope, first))] : []
  return readTexts(scope, message).map((text) => ({ levels: called, message: text, fields }))
}

function isLogger(node: Node): boolean {
  if (node.type === "Identifier") return node.name === "log"
  if (node.type === "MemberExpression") return nameOf(node.property) === "log"
  return node.type === "CallExpression" && nameOf(node.callee) === "createLogger"
}

function readLevels(scope: Scope, { property, computed }: Node): Level[] {
  const names = computed ? readTexts(scope, property as Node) : [nameOf(property)]
  return levels.filter((level) => names.includes(level))
}

/** The possible values of an expression. */
function readTexts(scope: Scope, node: Node): string[] {
  if (node.type === "Literal" && typeof node.value === "string") return [node.value]
  if (node.type === "ConditionalExpression")
    return [node.consequent, node.alternate].flatMap((branch) => readTexts(scope, branch as Node))
  const variable = node.type === "Identifier" ? initialValue(scope, node) : undefined
  if (variable) return readTexts(scope, variable)
  throw unreadable(scope, node)
}

function readFields(scope: Scope, node: Node): string[] {
  if (node.type === "ObjectExpression")
    return (node.properties as Node[]).flatMap((member) =>
      member.type === "SpreadElement" ? readFields(scope, member.argument as Node) : [nameOf(member.key)],
    )
  if (node.type === "ConditionalExpression")
    return [node.consequent, node.alternate].flatMap((branch) => readFields(scope, branch as Node))
  if (node.type === "Identifier") {
    const value = initialValue(scope, node)
    if (value) return readFields(scope, value)
  }
  // In packages/runtime.
  if (node.type === "CallExpression" && nameOf(node.callee) === "traceFields") return ["trace_id", "span_id"]
  const returned = node.type === "CallExpression" ? returnsOf(scope, nameOf(node.callee)) : []
  if (returned.length === 0) throw unreadable(scope, node)
  return returned.flatMap((value) => readFields(scope, value))
}

/** What the nearest declaration of this name above it assigns. */
function initialValue({ nodes }: Scope, { name, start }: Node): Node | undefined {
  const found = nodes.findLast(
    (node) => node.type === "VariableDeclarator" && nameOf(node.id) === name && node.start < start,
  )
  return (found?.init ?? undefined) as Node | undefined
}

function returnsOf({ nodes }: Scope, name: string): Node[] {
  const called = nodes.find((node) => node.type === "FunctionDeclaration" && nameOf(node.id) === name)
  if (!called) return []
  const returns = flatten(called.body).filter(({ type }) => type === "ReturnStatement")
  return returns.map(({ argument }) => argument as Node)
}

function property(object: Node, name: string): Node | undefined {
  if (object.type !== "ObjectExpression") return undefined
  const found = (object.properties as Node[]).find(({ key }) => nameOf(key) === name)
  return found?.value as Node | undefined
}

function nameOf(node: unknown): string {
  return String((node as Node | null)?.name ?? "")
}

function unreadable({ path, text }: Scope, { start }: Node): Error {
  const line = text.slice(0, start).split("\n").length
  return new Error(
    `${path}:${line}: the log reference cannot be written, because a text or field of this log call is not in the ` +
      "call. Pass the fields as an object literal and the message as a string literal.",
  )
}

function flatten(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(flatten)
  if (typeof value !== "object" || value === null) return []
  const inner = Object.values(value).flatMap(flatten)
  return "type" in value ? [value as Node, ...inner] : inner
}
