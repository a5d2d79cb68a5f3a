import { routes } from "@sitewire/contracts/routes"
import type { Option } from "commander"
import { nameOfOption } from "../derive/fieldOptions.ts"
import type { CommandDescription } from "../grammar/describeCommands.ts"

/** `GET /v1/syncs?connection=bakery`. An id can be a placeholder: `{id}`. */
const request = /(GET|POST|DELETE) \/v1\/(\w+)(?:\/([\w{}-]+))?(\/[a-z/-]+)?(?:\?(\w+=[\w-]+))?/g

/** The names of `reconcile`. */
const otherNames: Record<string, string> = { created_after: "--from", created_before: "--to" }

/** The commands of the API's requests, such as `GET channels/{id}`. */
export function commandsOfRequests(commands: readonly CommandDescription[]): ReadonlyMap<string, string> {
  const words = commands.flatMap(({ path, command }) => {
    if (!command?.operation) return []
    const route = routes[command.operation]
    return [[`${route.method.toUpperCase()} ${route.path.slice("/v1/".length)}`, path.join(" ")] as const]
  })
  return new Map([...words, ["GET connections/{id}/trigger-url", "connection show --trigger-url"]])
}

/** An error of the API with the names of commands, and of the options of the command that got it. */
export function inWordsOfCommands(
  message: string,
  options: readonly Option[],
  commands: ReadonlyMap<string, string>,
): string {
  const optionOf = (field: string) => {
    const name = field.replace(/^.*\./, "")
    const names = [nameOfOption(name), otherNames[name], `--${name.replaceAll("_", "-")}`]
    return names.find((long) => options.some((option) => option.long === long)) ?? field
  }
  return message
    .replace(request, (whole, method, resource, id = "", rest = "", query = "") => {
      const command = commands.get(`${method} ${resource}${id === "" ? "" : "/{id}"}${rest}`)
      const filter = query.replace("connection=", "").replace(/^(\w+)=/, "--$1 ")
      const given = [id, filter].find((text) => /^[\w-]/.test(text))
      return command === undefined ? whole : `\`sitewire ${[command, given ?? []].flat().join(" ")}\``
    })
    .replace("Correct these fields and try again.", "Correct this and repeat the command.")
    .replace("repeat this request", "repeat the command")
    .replace("force=true", "--force")
    .replace(/(?<=^ {2})[\w.]+|\b[a-z]+(?:_[a-z]+)+\b/gm, optionOf)
}
