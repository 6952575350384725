import { startHostileVendor } from '@fairlead/connector-runtime/testing/hostile-vendor';
import type { DevStack } from '../../setup/dev-stack.ts';
import { startStack } from '../../setup/start-stack.ts';
import { dialingConnectors } from './peers.ts';

/** A stack to be attacked. */
export interface HostileStack {
  readonly stack: DevStack;
  /** Address of the vendor in all connectors' settings; it attacks the calls that request it. */
  readonly vendorUrl: string;
  /** Stops it; throws for an exit code other than 0. */
  readonly stop: () => Promise<void>;
}

/** Starts a whole stack with an execution timeout of 5 s, whose connectors' settings all name a hostile vendor. */
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
