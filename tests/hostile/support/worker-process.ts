import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { processOf, processTree } from '../../faults/support/processes.ts';
import type { DevStack } from '../../setup/dev-stack.ts';

const POLL_MS = 20;

/** Resolves to the id of a process below the tools service, other than `known`, once it is connected to this local port. */
export async function workerConnectedTo(stack: DevStack, port: number, known?: number): Promise<number> {
  for (;;) {
    const inodes = connectionsTo(port);
    const id = processTree(processOf(stack, 'services/tools/src/main.ts'))
      .slice(1)
      .find((child) => child !== known && socketsOf(child).some((inode) => inodes.has(inode)));
    if (id !== undefined) return id;
    await delay(POLL_MS);
  }
}

/** Inodes of this machine's sockets that are connected to a port (proc(5), `/proc/net/tcp`). */
function connectionsTo(port: number): ReadonlySet<string> {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  return new Set(
    rows
      .map((row) => row.trim().split(/\s+/))
      .filter(([, , address, state]) => address?.endsWith(remote) === true && state === '01')
      .map((columns) => columns[9] ?? ''),
  );
}

function socketsOf(id: number): readonly string[] {
  try {
    return readdirSync(`/proc/${id}/fd`).flatMap(
      (fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${id}/fd/${fd}`))?.[1] ?? [],
    );
  } catch {
    // The process or socket has ended since it was listed.
    return [];
  }
}
