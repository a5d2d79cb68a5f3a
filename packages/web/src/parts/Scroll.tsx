import { type ReactNode, useEffect, useRef, useState } from "react"

/** What scrolls can be reached by keyboard, and what does not is no stop of Tab. */
export function Scroll({ className, children }: { className?: string; children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null)
  const [scrolls, setScrolls] = useState(false)
  useEffect(() => {
    const { current } = element
    if (!current) return
    const check = () =>
      setScrolls(current.scrollWidth > current.clientWidth || current.scrollHeight > current.clientHeight)
    const resizing = new ResizeObserver(check)
    resizing.observe(current)
    if (current.firstElementChild) resizing.observe(current.firstElementChild)
    return () => resizing.disconnect()
  }, [])
  return (
    <div ref={element} className={className} {...(scrolls ? { tabIndex: 0 } : {})}>
      {children}
    </div>
  )
}
