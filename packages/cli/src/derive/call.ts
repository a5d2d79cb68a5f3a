import type { Page } from "@sitewire/contracts"
import type { Input, Output } from "@sitewire/contracts/client"
import { type Operation, type Route, routes } from "@sitewire/contracts/routes"
import type { Field } from "@sitewire/contracts/views"
import type { Option } from "commander"
import { z } from "zod"
import type { Client } from "../api/client.ts"
import { readPages } from "../api/readPages.ts"
import type { CliCommand } from "../command.ts"
import { exitCodes } from "../errors/exitCodes.ts"
import { incorrectUsage } from "../errors/failure.ts"
import {
  type ConfirmOptions,
  confirmOption,
  noteMore,
  type PageOptions,
  pageOptions,
} from "../options/pageOptions.ts"
import { parseTime, timeHelp } from "../options/parseTime.ts"
import { type RequestHeaderOptions, removeHeadersOption } from "../options/requestHeaderOptions.ts"
import type { Style } from "../output/style.ts"
import { fieldsOf } from "./fieldOptions.ts"
import { factsBlock, fieldTable } from "./viewText.ts"

type View<Name extends Operation> =
  Output<Name> extends { data: (infer Row)[] }
    ? { columns: readonly Field<Row>[] }
    : { facts: readonly Field<Output<Name>>[] }
type Sent<Name extends Operation> = Input<Name> & { id: string }
type Options = Record<string, unknown> & PageOptions & ConfirmOptions & RequestHeaderOptions

type Call<Name extends Operation, Loaded> = Pick<CliCommand, "description" | "notes"> & {
  /** Default: the id of what the command's first word names, if the route has one. */
  argument?: readonly [syntax: string, description: string]
  /** The field of the argument. Default: id. */
  sentAs?: string
  /** A beginning of an id becomes the whole one. */
  findId?: (client: Client, given: string) => Promise<string>
  /** Another description of a field's option, or no option. */
  options?: Record<string, string | false>
  /** Options that no field has. */
  more?: readonly Option[]
  /** Default: the command with an id, and with --yes. */
  examples?: CliCommand["examples"]
  /** Another operation, with the same kind of response. */
  instead?: (id: string | undefined, options: Options) => Operation | undefined
  /** Checks or completes what is sent. */
  prepare?: (sent: Sent<Name>, options: Options) => void
  /** The question before a change that cannot be undone. It may change what is sent. */
  confirm?: (client: Client, sent: Sent<Name>) => Promise<string> | string
  timeoutMs?: number
  /** What is printed beside the response. */
  load?: (client: Client, output: Output<Name>) => Promise<Loaded>
  /** Instead of a list without entries: with filters, and without. */
  none?: string | readonly [filtered: string, unfiltered: string]
  print: View<Name> | ((output: Output<Name>, style: Style, loaded: Loaded) => string)
  note?: (output: Output<Name>, sent: Sent<Name>) => string | readonly string[]
  /** Whether the exit code is 1. */
  failed?: (output: Output<Name>) => boolean
}

const exampleIds: Record<string, string> = {
  channel: "acme",
  connection: "bakery",
  delivery: "0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b",
  incident: "inc_4f1c0e6a9b2d7c835e10",
  job: "job_8c1f0e",
  key: "key_8c1f0e",
}

/**
 * The command that calls an operation and prints its response. Its options are the fields of the operation's query and
 * body.
 */
export function call<Name extends Operation, Loaded = undefined>(
  words: string,
  operation: Name,
  spec: Call<Name, Loaded>,
): CliCommand {
  const route: Route = routes[operation]
  const { schema } = route.success
  const isList = schema instanceof z.ZodObject && "next_cursor" in schema.shape
  const query = fieldsOf(route.query, spec.options)
  const body = fieldsOf(route.body, spec.options)
  const options = [...query.options, ...body.options, ...(spec.more ?? [])]
  if (route.method === "patch" && "request_headers" in body.shape) options.push(removeHeadersOption)
  if (isList) options.push(...pageOptions)
  if (spec.confirm) options.push(confirmOption)
  const hasTimes = options.some(({ parseArg }) => parseArg === parseTime)
  const notes = [spec.notes, hasTimes && timeHelp].filter(Boolean).join("\n\n")
  const [noun = ""] = words.split(" ")
  const argument = spec.argument ?? (route.params && ([`<${noun}>`, `the ${noun}'s id`] as const))
  const example = `sitewire ${words}${argument ? ` ${exampleIds[noun]}` : ""}`
  return {
    name: words.split(" ").at(-1) ?? "",
    description: spec.description,
    ...(argument && { arguments: [argument] }),
    options,
    ...(notes !== "" && { notes }),
    examples: spec.examples ?? [example, ...(spec.confirm ? [`${example} --yes`] : [])],
    operation,
    json: schema ?? "",
    async run(session, [given], all: Options) {
      const { callApi } = session
      const { findId, confirm } = spec
      const id = findId && given !== undefined ? await callApi((client) => findId(client, given)) : given
      const filter = query.read(session, all)
      const change = body.read(session, all)
      if (route.method === "patch" && Object.keys(change).length === 0)
        throw incorrectUsage(
          `There is nothing to change. Give one of ${options.map(({ long }) => long).join(", ")}.`,
        )
      const sent = {
        ...(id !== undefined && { [spec.sentAs ?? "id"]: id }),
        ...filter,
        ...(route.body && { body: change }),
      } as Sent<Name>
      spec.prepare?.(sent, all)
      const isFiltered = Object.keys(sent).some((name) => !["id", "body", spec.sentAs].includes(name))
      if (confirm) await session.confirm(all, () => callApi(async (client) => confirm(client, sent)))
      const output = await callApi((client) => {
        const name = spec.instead?.(id, all) ?? operation
        const send = client[name] as unknown as Send<Name>
        const { timeoutMs } = spec
        return isList
          ? readPages(all, (page) => send({ ...sent, ...page }))
          : send(sent, timeoutMs === undefined ? {} : { timeoutMs })
      })
      const loaded = await callApi(async (client) => spec.load?.(client, output))
      session.print(output, (value, style) => print(spec, value, isFiltered, style, loaded as Loaded))
      for (const note of [spec.note?.(output, sent) ?? []].flat()) session.note(note)
      if (isList) noteMore(session, output)
      if (spec.failed?.(output)) session.outcome.exitCode = exitCodes.failed
    },
  }
}

type Send<Name extends Operation> = (
  input: object,
  options?: { timeoutMs?: number },
) => Promise<Output<Name> & Page<unknown>>

function print<Name extends Operation, Loaded>(
  { print, none = "" }: Call<Name, Loaded>,
  output: Output<Name> & Partial<Page<unknown>>,
  isFiltered: boolean,
  style: Style,
  loaded: Loaded,
): string {
  if (output.data?.length === 0 && none !== "")
    return typeof none === "string" ? none : none[isFiltered ? 0 : 1]
  if (typeof print === "function") return print(output, style, loaded)
  const { columns, facts }: { columns?: readonly Field<unknown>[]; facts?: readonly Field<unknown>[] } = print
  if (output.data && columns) return fieldTable(columns, output.data, style)
  return factsBlock(facts ?? [], output, style)
}
