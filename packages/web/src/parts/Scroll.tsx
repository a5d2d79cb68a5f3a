import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react"

/** What scrolls can be reached by keyboard, and what does not is no stop of Tab. */
export function Scroll({ className, children }: { className?: string; children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null)
  const [scrolls, setScrolls] = useState(false)
  const check = useCallback(() => {
    const { current } = element
    if (!current) return
    setScrolls(current.scrollWidth > current.clientWidth || current.scrollHeight > current.clientHeight)
  }, [])
  // After each rendering: more content in a box of limited height changes the size of no element that is observed.
  useLayoutEffect(check)
  useEffect(() => {
    const { current } = element
    if (!current) return
    const resizing = new ResizeObserver(check)
    resizing.observe(current)
    if (current.firstElementChild) resizing.observe(current.firstElementChild)
    return () => resizing.disconnect()
  }, [check])
  return (
    <div ref={element} className={className} {...(scrolls ? { tabIndex: 0 } : {})}>
      {children}
    </div>
  )
}
