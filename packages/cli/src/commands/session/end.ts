import { endedSessionsSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { type ConfirmOptions, confirmOption } from "../../options/confirmOption.ts"
import { ownerOption } from "./list.ts"

export const endSessions: CliCommand = {
  name: "end",
  description: "end one session of the web console, or all that this command's key may end",
  arguments: [["[session]", "the session's id; without it, all, or those of --owner"]],
  options: [ownerOption, confirmOption],
  notes: "Keys remain valid: whoever has one can sign in again. To prevent that, revoke the key.",
  examples: ["sitewire session end ses_8c1f0e", "sitewire session end --owner usr_0f3a --yes"],
  json: endedSessionsSchema,
  async run({ callApi, confirm, print }, [id], { owner, ...options }: ConfirmOptions & { owner?: string }) {
    const which =
      id === undefined ? `all sessions${owner === undefined ? "" : ` of ${owner}`}` : `the session ${id}`
    await confirm(options, async () => `End ${which}?`)
    const ended = await callApi((client) =>
      id === undefined ? client.endSessions({ owner }) : client.endSession({ id }),
    )
    print(ended, ({ ended: count }) => `${count} ended.`)
  },
}
