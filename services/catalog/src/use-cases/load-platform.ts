import type { Connector } from '@fairlead/connector-model/model';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { CataloguedApplication } from '../domain/application.ts';
import { contentHash } from '../domain/content-hash.ts';
import { applySettings } from '../domain/operator-settings.ts';
import type { ConnectorSettings } from '../domain/operator-settings.ts';
import type { PlatformStore } from '../ports/platform-store.ts';

interface LoadPlatformDeps {
  readonly store: PlatformStore;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Loads the platform's applications from the connectors of the catalogue file, with the operator's settings (by
 * connector slug) filled in, and reports whether any is new or has changed since the last load. Omits a connector that
 * lacks a setting, and logs that.
 */
export async function loadPlatform(
  { store, clock, log }: LoadPlatformDeps,
  connectors: readonly Connector[],
  settings: { readonly [slug: string]: ConnectorSettings },
): Promise<{ readonly applications: readonly CataloguedApplication[]; readonly isChanged: boolean }> {
  const served = connectors.flatMap((source) => {
    const settled = applySettings(source, settings[source.slug] ?? {});
    if (settled.ok) return [{ source, connector: settled.connector }];
    log.warn(
      { connector: source.slug, missingSettings: settled.missing },
      'omitted a connector that lacks settings',
    );
    return [];
  });
  const now = clock.now();
  // Hashed without the settings: another address for the same application is not a change of the application.
  const hashes = new Map(served.map(({ source }) => [source.slug, contentHash(source)]));
  const times = await store.recordAll(hashes, now);
  log.info({ applications: served.length }, 'loaded the catalogue');
  const applications = served.map(({ connector }): CataloguedApplication => ({
    owner: 'platform',
    connector,
    toolCount: connector.tools.length,
    ...(times.get(connector.slug) ?? { createdAt: now, updatedAt: now }),
  }));
  return {
    applications,
    isChanged: applications.some(({ updatedAt }) => updatedAt.getTime() === now.getTime()),
  };
}
