import {
  mongoConfigShape,
  natsConfigShape,
  peerConfigShape,
  serverConfigShape,
} from '@fairlead/service-kit/config';
import { sealingConfigShape } from '@fairlead/sealing/config';
import { addressesVariable } from '@fairlead/service-kit/discovery/address-setting';
import { z } from 'zod';

const publicUrl = z.url({ protocol: /^https?$/, error: 'expected http://… or https://…' });

const positive = z.coerce.number<string>('expected a whole number').int().min(1);

/** The settings that the triggers service reads from its environment. */
export const triggersConfig = z.object({
  ...serverConfigShape,
  ...mongoConfigShape,
  /** The service's database: triggers. */
  MONGODB_DATABASE: mongoConfigShape.MONGODB_DATABASE.default('fairlead_triggers'),
  ...natsConfigShape,
  ...peerConfigShape,
  ...sealingConfigShape,
  /** Addresses of the catalog service, one per replica, separated by commas. RPC_TRANSPORT decides which port they name. */
  CATALOG_URL: addressesVariable,
  /** Addresses of the connections service, in the same form. */
  CONNECTIONS_URL: addressesVariable,
  /** Addresses of the tools service, in the same form. */
  TOOLS_URL: addressesVariable,
  /** Addresses of the delivery service, in the same form. */
  DELIVERY_URL: addressesVariable,
  /** Address of the gateway as clients see it; addresses of hooks are below it. */
  PUBLIC_URL: publicUrl.transform((url) => url.replace(/\/+$/, '')),
  /**
   * Maximum number of worker processes, which validate values against accounts' own schemas (tools) or run their filters (triggers). A
   * worker starts on demand, serves one account, and ends after a minute without work. Default 4.
   */
  EVALUATION_PROCESSES: positive.max(1_000).default(4),
});

/** The triggers service's configuration. */
export type TriggersConfig = Readonly<z.infer<typeof triggersConfig>>;
