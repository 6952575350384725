import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, labelledQueries } from './labelled-queries.ts';

/** Slugs of all tools, imported ones included. Parsing the manifests would take seconds. */
function toolSlugs(): ReadonlySet<string> {
  const connectors = new URL('../../../connectors/', import.meta.url);
  const manifests = readdirSync(connectors, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map(({ name }) => readFileSync(new URL(`${name}/connector.yaml`, connectors), 'utf8'));
  return new Set(
    manifests.flatMap((text) =>
      [...text.matchAll(/\btoolSlug: ([a-z0-9-]+)/g)].map(([, slug]) => slug ?? ''),
    ),
  );
}

describe('the labelled queries', () => {
  it('name tools that exist, each query once', () => {
    const slugs = toolSlugs();
    for (const language of LANGUAGES) {
      const queries = labelledQueries(language);
      expect(new Set(queries.map(({ text }) => text)).size, language).toBe(queries.length);
      const missing = queries.flatMap(({ accepted }) => accepted).filter((slug) => !slugs.has(slug));
      expect(missing, language).toEqual([]);
    }
  });

  it('are 150 in English and 40 in each other language', () => {
    expect(LANGUAGES.map((language) => labelledQueries(language).length)).toEqual([150, 40, 40, 40]);
  });
});
