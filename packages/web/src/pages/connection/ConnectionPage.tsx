import type { Output } from "@sitewire/contracts/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useAccess } from "../../api/access.ts"
import { api, type Versioned } from "../../api/client.ts"
import { connectionQuery } from "../../api/queries.ts"
import { useId } from "../../app/useId.ts"
import { Facts } from "../../parts/Facts.tsx"
import { Loaded } from "../../parts/Loading.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { Columns, PageHead, Rows, Section } from "../../parts/Page.tsx"
import { Mono } from "../../parts/Ref.tsx"
import { RequestHeaders } from "../../parts/RequestHeaders.tsx"
import { ConnectionState, SyncOutcome } from "../../parts/states.tsx"
import { Ago, Since, Time } from "../../parts/Time.tsx"
import { pageNames } from "../../words.ts"
import { ConnectionActions } from "./ConnectionActions.tsx"
import { Changes, Content } from "./Content.tsx"
import { SigningSecret, TriggerUrl } from "./Credentials.tsx"
import { Windows } from "./Windows.tsx"

const runnerNames = { pull: "Sitewire", delegate: "an internal executor" } as const

type Connection = Versioned<Output<"readConnection">>

export function ConnectionPage() {
  const id = useId()
  return (
    <Loaded of={useQuery(connectionQuery(id))}>{(found) => <Found key={id} connection={found} />}</Loaded>
  )
}

function Found({ connection }: { connection: Connection }) {
  const { readsContentOf, managesSite } = useAccess()
  const { id, site, state, failing_since, last_reason, next_step, next_sync_at } = connection
  return (
    <>
      <PageHead
        title={id}
        above={<Link to="/connections">{pageNames.connections}</Link>}
        state={<ConnectionState state={state} />}
      >
        <ConnectionActions connection={connection} />
      </PageHead>
      <Rows>
        {failing_since !== null && (
          <Notice kind="bad" title={`The source cannot be fetched: ${last_reason ?? ""}`}>
            For <Since at={failing_since} />.{" "}
            {next_sync_at && (
              <>
                It is fetched again <Ago at={next_sync_at} due />.{" "}
              </>
            )}
            {connection.last_success_at === null
              ? "The site has no content yet."
              : "The site keeps the content of the last success."}{" "}
            {next_step}
          </Notice>
        )}
        <TriggerUrl connection={connection} />
        <Columns>
          {managesSite(site) && (
            <RequestHeaders
              id={id}
              shown={connection}
              set={(request_headers, ifMatch) =>
                api.changeConnection({ id, body: { request_headers } }, { ifMatch })
              }
            />
          )}
          <SigningSecret connection={connection} />
        </Columns>
        <Section
          title="Triggers and syncs"
          aside={<small className="dimmed">at most one sync a minute</small>}
        >
          <Windows id={id} />
        </Section>
        <Columns>
          <Section title="Connection">
            <Facts
              facts={[
                ["Site", site],
                ["Source", <Mono key="source">{connection.source}</Mono>],
                ["Fetched by", runnerNames[connection.runner]],
                [
                  "Last sync",
                  connection.last_synced_at && connection.last_outcome ? (
                    <span key="last">
                      <SyncOutcome outcome={connection.last_outcome} /> <Ago at={connection.last_synced_at} />
                    </span>
                  ) : (
                    "There was none yet"
                  ),
                ],
                connection.last_success_at !== null && [
                  "Last success",
                  <Ago key="success" at={connection.last_success_at} />,
                ],
                next_sync_at !== null && ["Next sync", <Ago key="next" at={next_sync_at} due />],
                ["Created", <Time key="created" at={connection.created_at} format="full" />],
              ]}
            />
          </Section>
          {readsContentOf(site) && <Content id={id} />}
        </Columns>
        {readsContentOf(site) && <Changes id={id} />}
      </Rows>
    </>
  )
}
