import * as oauth from 'openid-client';
import type { AccessTokenSource } from '@fairlead/sdk';
import { CliError, EXIT_CODES } from '../failure.ts';
import type { World } from '../world.ts';
import { discover, ended, isOver, sessionOf } from './authorization-server.ts';
import type { Session, SessionStore } from './session-store.ts';

/** A token that expires within this time is renewed first. */
const MARGIN_MS = 30_000;

/**
 * The access token of the sign-in to `url`, renewed when it expires. Concurrent processes renew it only once, because a refresh token is
 * valid for one use. Throws a CliError if there is no sign-in, or it has ended.
 */
export function accessTokenOf(store: SessionStore, url: string, world: World): AccessTokenSource {
  const isFresh = (session: Session, rejected: string | undefined): boolean =>
    session.accessToken !== rejected && Date.parse(session.expiresAt) - MARGIN_MS > world.now().getTime();
  return async (rejected) => {
    const kept = (await store.read()).sessions[url];
    if (kept === undefined) throw notSignedIn(url);
    if (isFresh(kept, rejected)) return kept.accessToken;
    const { sessions } = await store.update(world.signal, async (all) => {
      const session = all.sessions[url];
      if (session === undefined) throw notSignedIn(url);
      // Another process has renewed it already.
      if (isFresh(session, rejected)) return all;
      return { ...all, sessions: { ...all.sessions, [url]: await renew(session, url, world) } };
    });
    const renewed = sessions[url];
    if (renewed === undefined) throw notSignedIn(url);
    return renewed.accessToken;
  };
}

async function renew(session: Session, url: string, world: World): Promise<Session> {
  if (session.refreshToken === undefined) throw signInEnded(url);
  const server = await discover(session.issuer, world.signal);
  try {
    const tokens = await oauth.refreshTokenGrant(server, session.refreshToken, {
      resource: session.resource,
    });
    return sessionOf(tokens, { ...session, now: world.now(), before: session });
  } catch (error) {
    world.signal.throwIfAborted();
    throw isOver(error) ? signInEnded(url) : ended(error, 'The sign-in could not be renewed');
  }
}

function notSignedIn(url: string): CliError {
  return new CliError(EXIT_CODES.denied, `Not signed in to ${url}: fairlead login --url ${url}`);
}

function signInEnded(url: string): CliError {
  return new CliError(EXIT_CODES.denied, `The sign-in to ${url} has expired: fairlead login --url ${url}`);
}
