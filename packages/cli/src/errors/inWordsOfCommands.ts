import type { Option } from "commander"
import { nameOfOption } from "../derive/fieldOptions.ts"

/** The API's requests that its errors name. */
const commands: Record<string, string> = {
  "GET channels": "channel list",
  "POST channels/{id}/change-address": "channel change-address",
  "POST channels/{id}/test": "channel test",
  "GET channels/{id}/secret/staged": "channel secret show",
  "POST channels/{id}/secret/stage": "channel secret stage",
  "GET connections": "connection list",
  "GET connections/{id}/trigger-url": "connection show --trigger-url",
  "POST connections/{id}/signing-secret": "connection replace-secret",
  "GET deliveries": "delivery list",
  "GET jobs": "job list",
  "GET keys": "key list",
  "DELETE keys/{id}": "key revoke",
  "GET incidents": "incident list",
  "GET sessions": "session list",
  "GET syncs": "sync list",
}

/** `GET /v1/syncs?connection=bakery`. An id can be a placeholder: `{id}`. */
const request = /(GET|POST|DELETE) \/v1\/(\w+)(?:\/([\w{}-]+))?(\/[a-z/-]+)?(?:\?(\w+=[\w-]+))?/g

/** The names of `reconcile`. */
const otherNames: Record<string, string> = { created_after: "--from", created_before: "--to" }

/** An error of the API with the names of commands, and of the options of the command that got it. */
export function inWordsOfCommands(message: string, options: readonly Option[]): string {
  const optionOf = (field: string) => {
    const name = field.replace(/^.*\./, "")
    const names = [nameOfOption(name), otherNames[name], `--${name.replaceAll("_", "-")}`]
    return names.find((long) => options.some((option) => option.long === long)) ?? field
  }
  return message
    .replace(request, (whole, method, resource, id = "", rest = "", query = "") => {
      const command = commands[`${method} ${resource}${id === "" ? "" : "/{id}"}${rest}`]
      const filter = query.replace("connection=", "").replace(/^(\w+)=/, "--$1 ")
      const given = [id, filter].find((text) => /^[\w-]/.test(text))
      return command === undefined ? whole : `\`sitewire ${[command, given ?? []].flat().join(" ")}\``
    })
    .replace("Correct these fields and try again.", "Correct this and repeat the command.")
    .replace("repeat this request", "repeat the command")
    .replace("force=true", "--force")
    .replace(/(?<=^ {2})[\w.]+|\b[a-z]+(?:_[a-z]+)+\b/gm, optionOf)
}
