import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Express } from 'express';
import type { Provider } from 'oidc-provider';
import { pino } from 'pino';
import type { Logger } from 'pino';
import { Administration } from './admin/administration.ts';
import { Conditions } from './admin/conditions.ts';
import { adminApiRoutes, adminPageRoutes } from './admin/routes.ts';
import { Traffic } from './admin/traffic.ts';
import { RecordOperations } from './api/record-operations.ts';
import { apiRoutes } from './api/routes.ts';
import { resolveConfig } from './config.ts';
import type { ResolvedConfig, SandboxCrmConfig } from './config.ts';
import { errorAnswers } from './http/error-responses.ts';
import { conditionsGate, rateGate } from './http/gate.ts';
import { requestLog } from './http/request-log.ts';
import { nowSeconds } from './oauth/adapter.ts';
import { interactionRoutes } from './oauth/interaction.routes.ts';
import { createOidcProvider, OAUTH_PATH } from './oauth/provider.ts';
import { settingsRoutes } from './settings/routes.ts';
import { openDatabase } from './storage/database.ts';
import { OAuthEntityRepository } from './storage/oauth-entity.repository.ts';
import { RecordRepository } from './storage/record.repository.ts';
import { seedIfEmpty } from './storage/sample-data.ts';
import { WebhookRepository } from './storage/webhook.repository.ts';
import { WorkspaceRepository } from './storage/workspace.repository.ts';
import { WebhookSender } from './webhooks/webhook-sender.ts';

/** A running sandbox CRM. */
export interface SandboxCrm {
  /** The server's origin: `publicUrl` if set. */
  readonly url: string;
  /** Stops accepting, lets running requests end for up to 5 s, and closes the store. */
  close(): Promise<void>;
}

const CLEANUP_INTERVAL_MS = 10 * 60 * 1000;
const DRAIN_MS = 5000;

/** Starts the vendor; resolves once it accepts requests. Throws a `ConfigError` for invalid settings. */
export async function startSandboxCrm(configuration: SandboxCrmConfig): Promise<SandboxCrm> {
  const config = resolveConfig(configuration);
  const log = pino({ name: 'sandbox-crm', level: config.logLevel });
  const database = openDatabase(config.dataDirectory);
  seedIfEmpty(database);

  const entities = new OAuthEntityRepository(database);
  entities.deleteExpired(nowSeconds());
  const cleanup = setInterval(() => entities.deleteExpired(nowSeconds()), CLEANUP_INTERVAL_MS).unref();

  const server = createServer();
  try {
    await listen(server, config);
  } catch (error) {
    clearInterval(cleanup);
    database.close();
    throw error;
  }
  // The issuer contains the port, which may be known only now.
  const url =
    config.publicUrl === undefined ? listeningUrl(server, config.host) : new URL(config.publicUrl).origin;
  const provider = createOidcProvider({ config, origin: url, database, entities });

  const records = new RecordRepository(database);
  const workspaces = new WorkspaceRepository(database);
  const conditions = new Conditions();
  const traffic = new Traffic();
  const webhooks = new WebhookRepository(database);
  const sender = new WebhookSender(webhooks, config.webhookRetryDelaysMs, log);
  const parts = { database, entities, records, workspaces, webhooks, sender, userEmail: config.user.email };
  const administration = new Administration(conditions, traffic, parts);
  watchProvider(provider, traffic, log);

  const app = express().disable('x-powered-by').disable('etag');
  app.use(requestLog(log, traffic));
  app.get('/healthz', (_req, res) => void res.json({ status: 'ok' }));
  app.get('/', (_req, res) => res.redirect('/admin'));
  app.use('/admin/api', adminApiRoutes(administration, config.adminKey));
  app.use('/admin', adminPageRoutes(administration, config.adminKey, url.startsWith('https:')));
  app.use('/api', rateGate(conditions, traffic));
  app.use(conditionsGate(conditions));
  const operations = new RecordOperations(database, records, (change) => sender.report(change));
  const { apiToken } = config;
  app.use(
    '/api',
    apiRoutes({
      provider,
      apiToken,
      userEmail: config.user.email,
      records,
      operations,
      workspaces,
      webhooks,
    }),
  );
  app.use('/interaction', interactionRoutes(provider, config.user));
  app.use('/settings', settingsRoutes(config));
  mountProvider(app, provider);
  app.use(errorAnswers(log));
  server.on('request', app);
  log.info({ url }, 'listening');

  return {
    url,
    async close() {
      clearInterval(cleanup);
      await closeServer(server);
      await sender.close();
      database.close();
      log.info('closed');
    },
  };
}

function mountProvider(app: Express, provider: Provider): void {
  const callback = provider.callback();
  // In RFC 8414 the issuer's path follows the well-known part, so this route is outside the mount point.
  app.get(`/.well-known/oauth-authorization-server${OAUTH_PATH}`, (req, res) => {
    req.url = '/.well-known/oauth-authorization-server';
    req.originalUrl = `${OAUTH_PATH}${req.url}`;
    return callback(req, res);
  });
  app.use(OAUTH_PATH, callback);
}

function watchProvider(provider: Provider, traffic: Traffic, log: Logger): void {
  const grantType = (params: Readonly<Record<string, unknown>> | undefined): string => {
    const value = params?.['grant_type'];
    return typeof value === 'string' ? value : 'none';
  };
  provider.on('grant.success', (ctx) => traffic.countTokenCall(grantType(ctx.oidc.params)));
  provider.on('grant.error', (ctx, error) => {
    traffic.countTokenCall(grantType(ctx.oidc.params));
    log.info(
      { grantType: grantType(ctx.oidc.params), error: error.error_description ?? error.message },
      'token refused',
    );
  });
  provider.on('server_error', (_ctx, error) => log.error({ err: error }, 'OAuth request failed'));
}

async function listen(server: Server, config: ResolvedConfig): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function listeningUrl(server: Server, host: string): string {
  const address = server.address();
  const { port } = isAddressInfo(address) ? address : { port: 0 };
  const isAny = host === '0.0.0.0' || host === '::';
  return `http://${isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

function isAddressInfo(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

async function closeServer(server: Server): Promise<void> {
  const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  try {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
    });
  } finally {
    clearTimeout(force);
  }
}
