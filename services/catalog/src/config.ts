import {
  jsonVariable,
  mongoConfigShape,
  natsConfigShape,
  serverConfigShape,
} from '@fairlead/service-kit/config';
import { z } from 'zod';

/** The settings that the catalog service reads from its environment. */
export const catalogConfig = z.object({
  ...serverConfigShape,
  ...mongoConfigShape,
  MONGODB_DATABASE: mongoConfigShape.MONGODB_DATABASE.default('fairlead_catalog'),
  ...natsConfigShape,
  /** Path of the compiled catalogue: the platform's applications. Read once, at start. */
  CATALOGUE_PATH: z.string().min(1),
  /**
   * The connectors' settings of this installation, as JSON: `{"<connector>": {"<setting>": "<value>"}}`. A connector
   * that lacks one of its settings is omitted from the catalogue. Default: {}.
   */
  CONNECTOR_SETTINGS: jsonVariable(z.record(z.string(), z.record(z.string(), z.string()))).default({}),
  /**
   * Megabytes of accounts' own applications that a replica caches, counted as stored. The least recently used ones are evicted. Default 64.
   */
  ACCOUNT_CACHE_MB: z.coerce.number<string>('expected megabytes').int().min(0).max(65_536).default(64),
});

/** The catalog service's configuration. */
export type CatalogConfig = Readonly<z.infer<typeof catalogConfig>>;
