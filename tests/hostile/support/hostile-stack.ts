import { startHostileVendor } from '@fairlead/connector-runtime/testing/hostile-vendor';
import type { DevStack } from '../../setup/dev-stack.ts';
import { startStack } from '../../setup/start-stack.ts';
import { dialingConnectors } from './peers.ts';

/** A stack for attacks. */
export interface HostileStack {
  readonly stack: DevStack;
  /** Address of the vendor at which the settings of all connectors aim; it attacks the calls that say so. */
  readonly vendorUrl: string;
  /** Stops it, which must be clean: an exit code other than 0 throws. */
  readonly stop: () => Promise<void>;
}

/** Starts a whole stack whose executions end after 5 s, and whose operator has aimed every connector at a hostile vendor. */
export async function startHostileStack(): Promise<HostileStack> {
  const vendor = await startHostileVendor();
  const { stack, stop } = await startStack({
    env: { EXECUTION_TIMEOUT_MS: '5000', CONNECTOR_SETTINGS: JSON.stringify(await settings(vendor.url)) },
  }).catch(async (error: unknown) => {
    await vendor.close();
    throw error;
  });
  return {
    stack,
    vendorUrl: vendor.url,
    stop: async () => {
      await stop();
      await vendor.close();
    },
  };
}

async function settings(url: string): Promise<Record<string, Record<string, string>>> {
  return Object.fromEntries(
    (await dialingConnectors()).map(({ slug, settings: names }) => [
      slug,
      Object.fromEntries(names.map((name) => [name, url])),
    ]),
  );
}
