import { operatorProblemSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { problemBlock } from "./problemBlock.ts"

export const acknowledgeProblem: CliCommand = {
  name: "acknowledge",
  description: "show others that you care for a problem, until it is resolved",
  arguments: [["<problem>", "the problem's id"]],
  options: [
    new Option(
      "--note <text>",
      "who does what until when (required); never erased, so do not name a person",
    ).makeOptionMandatory(),
  ],
  examples: [
    'sitewire problem acknowledge prb_4f1c0e6a9b2d7c835e10 --note "the partner repairs it, ticket 4711"',
  ],
  json: operatorProblemSchema,
  async run({ callApi, print }, [id]: [string], { note }: { note: string }) {
    print(await callApi((client) => client.acknowledgeProblem(id, { note })), problemBlock)
  },
}

export const withdrawAcknowledgement: CliCommand = {
  name: "withdraw",
  description: "withdraw the acknowledgement of a problem",
  arguments: [["<problem>", "the problem's id"]],
  examples: ["sitewire problem withdraw prb_4f1c0e6a9b2d7c835e10"],
  json: operatorProblemSchema,
  async run({ callApi, print }, [id]: [string]) {
    print(await callApi((client) => client.withdrawAcknowledgement(id)), problemBlock)
  },
}
