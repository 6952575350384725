import { join } from 'node:path';
import { storeSettings } from '@fairlead/local-stores/config';

/** The manifests. */
export const CONNECTORS = join(import.meta.dirname, '../../connectors');
/** Folders for descriptions, programs and the compiled catalogue, kept between runs. */
export const CACHE = storeSettings(process.env).cacheDirectory;
/** Descriptions and icons of vendors, and collections of third parties. */
export const SOURCES = join(CACHE, 'catalogue');
/** The compiled catalogue. */
export const CATALOGUE = join(CACHE, 'catalogue.json');
