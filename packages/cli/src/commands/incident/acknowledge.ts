import { incidentSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { incidentBlock } from "./incidentBlock.ts"

export const acknowledgeIncident: CliCommand = {
  name: "acknowledge",
  description: "show others that you care for an incident, until it is resolved",
  arguments: [["<incident>", "the incident's id"]],
  options: [
    new Option(
      "--note <text>",
      "who does what until when (required); never erased, so do not name a person",
    ).makeOptionMandatory(),
  ],
  examples: [
    'sitewire incident acknowledge inc_4f1c0e6a9b2d7c835e10 --note "the partner repairs it, ticket 4711"',
  ],
  json: incidentSchema,
  async run({ callApi, print }, [id]: [string], { note }: { note: string }) {
    print(await callApi((client) => client.acknowledgeIncident({ id, body: { note } })), incidentBlock)
  },
}

export const withdrawAcknowledgement: CliCommand = {
  name: "withdraw",
  description: "withdraw the acknowledgement of an incident",
  arguments: [["<incident>", "the incident's id"]],
  examples: ["sitewire incident withdraw inc_4f1c0e6a9b2d7c835e10"],
  json: incidentSchema,
  async run({ callApi, print }, [id]: [string]) {
    print(await callApi((client) => client.withdrawAcknowledgement({ id })), incidentBlock)
  },
}
