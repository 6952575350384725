import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import type { Timers } from '@fairlead/service-kit/timers';
import type { Connections } from '../../ports/connections.ts';

export interface ReadAnnouncedToolsDeps {
  readonly connections: Pick<Connections, 'readToolsAgain'>;
  readonly timers: Timers;
}

/** Longer than an MCP server takes to list its tools. */
const READ_MS = 60_000;
/** Pauses between readings, because a server may keep announcing changes. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Returns a function to call when an MCP server announces changed tools. It re-reads them: at once after a quiet time, less and less often
 * if announcements continue. Runs in the background.
 */
export function readAnnouncedTools(
  { connections, timers }: ReadAnnouncedToolsDeps,
  ctx: RequestContext,
  connectionId: number,
): () => void {
  let isAnnounced = false;
  let isReading = false;

  async function read(): Promise<void> {
    isReading = true;
    for (let pauseMs = FIRST_PAUSE_MS; isAnnounced; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      isAnnounced = false;
      await connections
        .readToolsAgain(detachedContext(ctx, READ_MS), { connectionId, isAnnounced: true })
        .catch((error: unknown) =>
          ctx.log.warn({ err: error, connectionId }, 'could not read the tools of an MCP server again'),
        );
      await new Promise<void>((resolve) => void timers.after(pauseMs, resolve));
    }
    isReading = false;
  }

  return () => {
    isAnnounced = true;
    if (!isReading) void read();
  };
}
