import { readFile } from 'node:fs/promises';
import type { Page } from '@fairlead/service-kit/http/app';
import { ICON_PATH } from '@fairlead/pages/html';
import { publishedPage } from './published.ts';

const CACHE_CONTROL = 'public, max-age=86400';

/** The icon of the installation, at its own address and at `/favicon.ico`, which browsers and bookmarks request without a link. */
export async function openIcons(): Promise<readonly Page[]> {
  const read = (name: string) => readFile(new URL(`icons/${name}`, import.meta.url));
  return [
    publishedPage(ICON_PATH, {
      contentType: 'image/svg+xml',
      body: await read('favicon.svg'),
      headers: { 'content-security-policy': "default-src 'none'" },
      cacheControl: CACHE_CONTROL,
    }),
    publishedPage('/favicon.ico', {
      contentType: 'image/x-icon',
      body: await read('favicon.ico'),
      cacheControl: CACHE_CONTROL,
    }),
  ];
}
