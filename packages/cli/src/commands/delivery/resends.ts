import { resendAcceptedSchema, resendFilterSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { fieldsOf } from "../../derive/fieldOptions.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import { type JobOptions, jobOptions, perSecondOption, reasonOf } from "../../options/jobOptions.ts"
import { type ConfirmOptions, confirmOption } from "../../options/pageOptions.ts"
import { timeHelp } from "../../options/parseTime.ts"
import { startedJobSchema, startJob } from "../job/startJob.ts"
import { readPause } from "./describeWait.ts"
import { deliveryArgument, wholeId } from "./shortId.ts"

export const resendDelivery: CliCommand = {
  name: "resend",
  description: "send a delivery again now: same id, same bytes, signed with the active secret",
  arguments: [deliveryArgument],
  options: [new Option("--reason <text>", "why you do this; stored with the job, so do not name a person")],
  examples: ['sitewire delivery resend 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b --reason "ticket 17"'],
  json: resendAcceptedSchema,
  async run({ callApi, print }, [given]: [string], { reason }: { reason?: string }) {
    const id = await callApi((client) => wholeId(client, given))
    // The channel is read before the resend, because a failed read afterwards would look like a failed
    // resend.
    const { channel } = await callApi((client) => client.readDelivery({ id }))
    const pausedAt = await callApi((client) => readPause(client, channel))
    const accepted = await callApi((client) => client.resendDelivery({ id, body: { reason } }))
    print(accepted, ({ delivery }) =>
      pausedAt === null
        ? "The delivery is sent as soon as its channel has capacity. " +
          `To see the result: sitewire delivery show ${delivery}`
        : `The delivery is deferred, because its channel is paused. To send it: sitewire channel resume ${channel}`,
    )
  },
}

type Options = JobOptions & ConfirmOptions & { perSecond?: number }

const fields = fieldsOf(resendFilterSchema)

export const resendAllDeliveries: CliCommand = {
  name: "resend-all",
  description: "send all matching deliveries again, as their channels have capacity: same ids, same bytes",
  options: [...fields.options, perSecondOption, ...jobOptions, confirmOption],
  notes: `At least one of --channel, --state, --after and --before is required.\n${timeHelp}`,
  examples: [
    "sitewire delivery resend-all --channel acme --state dead --dry-run",
    'sitewire delivery resend-all --channel acme --state dead --reason "acme was down" --wait',
    "sitewire delivery resend-all --after 2026-11-21T04:00:00Z --before 2026-11-21T06:00:00Z " +
      '--reason "ticket 17" --yes',
    'sitewire delivery resend-all --channel acme --after 12:00 --reason "acme was down since noon"',
  ],
  json: startedJobSchema,
  async run(session, _, options: Options) {
    const filter = fields.read(session, options)
    if (Object.keys(filter).length === 0) {
      throw incorrectUsage(
        "Select deliveries with --channel, --state, --after or --before; otherwise every delivery would be sent again.",
      )
    }
    const reason = reasonOf(options)
    await startJob(session, options, {
      filter,
      create: (client, dryRun) =>
        client.createResendJob({ body: { filter, reason, per_second: options.perSecond, dry_run: dryRun } }),
      question: (count) => `Resend ${count} deliveries? The partners receive them once more.`,
    })
  },
}
