import { join } from 'node:path';
import { storeSettings } from '@fairlead/local-stores/config';

/** The manifests. */
export const CONNECTORS = join(import.meta.dirname, '../../connectors');
/** Where descriptions, programs and the compiled catalogue are kept between runs. */
export const CACHE = storeSettings(process.env).cacheDirectory;
/** Descriptions, icons and collections of others. */
export const SOURCES = join(CACHE, 'catalogue');
/** The compiled catalogue. */
export const CATALOGUE = join(CACHE, 'catalogue.json');
