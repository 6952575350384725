import { stat } from 'node:fs/promises';
import { readCatalogueFile } from '@fairlead/connector-model/catalogue-file';
import type { Connector } from '@fairlead/connector-model/model';
import { createWorkThread } from '@fairlead/service-kit/threads/work-thread';

/** A thread for a smaller file would cost more than it saves. */
const MAX_BYTES_IN_PLACE = 2 * 1024 * 1024;

/**
 * Reads a catalogue file as readCatalogueFile does. A large one is read in a thread: reading takes ten times the memory of the
 * connectors, and the heap of the main thread would keep it.
 */
export async function readCatalogue(path: string): Promise<readonly Connector[]> {
  const size = await stat(path).then(
    (file) => file.size,
    () => 0,
  );
  if (size <= MAX_BYTES_IN_PLACE) return readCatalogueFile(path);
  const thread = createWorkThread<string, readonly Connector[]>(
    new URL('catalogue.thread.ts', import.meta.url),
  );
  try {
    return (await thread.run('', path)).answer;
  } finally {
    await thread.close();
  }
}
