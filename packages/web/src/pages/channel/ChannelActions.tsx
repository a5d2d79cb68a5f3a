import { Button } from "@mantine/core"
import type { Channel, TestDelivery } from "@sitewire/contracts"
import { useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { Action } from "../../parts/Action.tsx"
import { Icon } from "../../parts/Icon.tsx"
import { texts } from "../../texts.ts"
import { TestResult } from "./TestResult.tsx"

const t = texts.channel

export function ChannelActions({ channel: { id, address, paused_at } }: { channel: Channel }) {
  const { operates, managesChannel } = useAccess()
  const client = useQueryClient()
  const [test, setTest] = useState<TestDelivery | null>(null)
  const refresh = () => void client.invalidateQueries({ queryKey: ["channels"] })
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="delivery" size={16} />}
        renderRoot={(props) => <Link {...props} to="/deliveries" search={{ channel: id }} />}
      >
        {texts.pages.deliveries}
      </Button>
      {managesChannel(id) && (
        <Action
          label={t.test}
          icon="play"
          title={t.testTitle}
          run={(post) => post.testChannel({ id })}
          then={setTest}
        >
          {t.testMore(address)}
        </Action>
      )}
      {operates && paused_at === null && (
        <Action
          label={t.pause}
          icon="pause"
          title={t.pauseTitle(id)}
          run={(post) => post.pauseChannel({ id })}
          done={t.paused(id)}
          then={refresh}
        >
          {t.pauseMore(id)}
        </Action>
      )}
      {operates && paused_at !== null && (
        <Action
          label={t.resume}
          icon="play"
          variant="filled"
          title={t.resumeTitle(id)}
          run={(post) => post.resumeChannel({ id })}
          done={t.resumed(id)}
          then={refresh}
        >
          {t.resumeMore(id)}
        </Action>
      )}
      {test && <TestResult test={test} close={() => setTest(null)} />}
    </>
  )
}
