import type { Channel } from "@sitewire/contracts"
import { useQuery } from "@tanstack/react-query"
import { api } from "../../api/client.ts"
import { Facts } from "../../parts/Facts.tsx"
import { Loaded } from "../../parts/Loading.tsx"
import { Columns, Rows, Section } from "../../parts/Page.tsx"
import { DeliveryRef, Mono } from "../../parts/Ref.tsx"
import { Ago } from "../../parts/Time.tsx"
import { Rotation } from "./Rotation.tsx"
import classes from "./Secrets.module.css"

const stateNames = { staged: "Staged", retiring: "Retiring" } as const

export function Secrets({ channel }: { channel: Channel }) {
  return (
    <Columns wide>
      <Rotation channel={channel} />
      <Rows>
        <Section title="Secrets of this channel">
          <Facts
            facts={[
              ["Active", <Mono key="active">{channel.secret_id}</Mono>],
              channel.other_secret !== null && [
                stateNames[channel.other_secret.state],
                <Mono key="other">{channel.other_secret.id}</Mono>,
              ],
            ]}
          />
        </Section>
        <LatestSignatures channel={channel} />
      </Rows>
    </Columns>
  )
}

const shown = 5

/** Which secret signed the latest attempts, so that the effect of a step is visible. */
function LatestSignatures({ channel }: { channel: Channel }) {
  const { id, secret_id } = channel
  const latest = useQuery({
    queryKey: ["channels", id, "latest signatures"],
    queryFn: async ({ signal }) => {
      const { data } = await api.listDeliveries({ channel: id, limit: shown }, { signal })
      const deliveries = await Promise.all(data.map((row) => api.readDelivery({ id: row.id }, { signal })))
      return deliveries
        .flatMap(({ id: delivery, event_id, attempt_log }) =>
          attempt_log.slice(-1).map((attempt) => ({ delivery, event_id, ...attempt })),
        )
        .toSorted((a, b) => b.started_at.localeCompare(a.started_at))
    },
    refetchInterval: 10_000,
  })
  return (
    <Section title="What signed the latest attempts">
      <Loaded of={latest}>
        {(attempts) =>
          attempts.length === 0 ? (
            "There was no attempt yet."
          ) : (
            <ul className={classes.latest}>
              {attempts.map(({ delivery, event_id, started_at, secret_id: used }) => (
                <li key={delivery}>
                  <DeliveryRef id={delivery}>{event_id}</DeliveryRef>
                  <span>
                    {used === secret_id ? "the active secret" : <Mono>{used}</Mono>} · <Ago at={started_at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}
