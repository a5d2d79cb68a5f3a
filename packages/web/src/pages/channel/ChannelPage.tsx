import { Tabs } from "@mantine/core"
import type { Channel } from "@sitewire/contracts"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useAccess } from "../../api/access.ts"
import type { Versioned } from "../../api/client.ts"
import { channelHealthQuery, channelQuery } from "../../api/queries.ts"
import { useFilters } from "../../app/search.ts"
import { useId } from "../../app/useId.ts"
import { Loaded } from "../../parts/Loading.tsx"
import { PageHead } from "../../parts/Page.tsx"
import { State } from "../../parts/State.tsx"
import { ChannelHealth } from "../../parts/states.tsx"
import { pageNames } from "../../words.ts"
import { ChannelActions } from "./ChannelActions.tsx"
import { Health } from "./Health.tsx"
import { Receiver } from "./Receiver.tsx"
import { Secrets } from "./Secrets.tsx"
import { Settings } from "./Settings.tsx"

const tabNames = { health: "Health", secrets: "Secrets", receiver: "Receiver", settings: "Settings" } as const

const tabs = ["health", "secrets", "receiver", "settings"] as const
type Tab = (typeof tabs)[number]

export function ChannelPage() {
  const id = useId()
  return <Loaded of={useQuery(channelQuery(id))}>{(found) => <Found key={id} channel={found} />}</Loaded>
}

function Found({ channel }: { channel: Versioned<Channel> }) {
  const { reads, channels } = useAccess()
  const [{ tab: given }, change] = useFilters<{ tab?: string }>()
  const tab: Tab = tabs.find((name) => name === given) ?? "health"
  const hasList = reads || channels.length > 1
  return (
    <>
      <PageHead
        title={channel.id}
        above={hasList ? <Link to="/channels">{pageNames.channels}</Link> : pageNames.channel}
        state={<ChannelState channel={channel} />}
      >
        <ChannelActions channel={channel} />
      </PageHead>
      <Tabs value={tab} onChange={(value) => change({ tab: value ?? undefined })} keepMounted={false}>
        <Tabs.List mb="md">
          {tabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {tabNames[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="health">
          <Health channel={channel} />
        </Tabs.Panel>
        <Tabs.Panel value="secrets">
          <Secrets channel={channel} />
        </Tabs.Panel>
        <Tabs.Panel value="receiver">
          <Receiver channel={channel} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <Settings channel={channel} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

function ChannelState({ channel }: { channel: Channel }) {
  const { data } = useQuery(channelHealthQuery(channel.id))
  return (
    <>
      {data && <ChannelHealth {...data} />}
      {channel.paused_at && <State kind="warn">Paused</State>}
    </>
  )
}
