import type { CanaryChanges } from './changes.ts';
import { canaryEndpoints, canaryWeight } from './metrics.ts';
import type { CanaryRules } from './rules.ts';
import { canaryState, trackOf } from './track.ts';
import type { CanaryState, TrackSubject } from './track.ts';

/** The installation's canaries, as this process applies them. */
export interface Canaries {
  /** Names of the services whose canary serves the caller's requests. */
  choose(subject: TrackSubject): readonly string[];
  /** The state of each service's canary. */
  current(): ReadonlyMap<string, CanaryState>;
  /** Calls `onChange` whenever a state may have changed, until the returned function is called. */
  subscribe(onChange: () => void): () => void;
  /** Applies these changes from now on. Before it was called and the changes were read, all calls go to stable. */
  follow(changes: RuleFeed): void;
  /** Records the number of known addresses of a service's canary. */
  recordEndpoints(service: string, count: number): void;
  /** The last recorded number of addresses, by service. */
  endpoints(): ReadonlyMap<string, number>;
}

/** The applied changes. */
type RuleFeed = Pick<CanaryChanges, 'isRead' | 'of' | 'subscribe'>;

/** Canaries whose rules are set from outside. */
interface ConfigurableCanaries extends Canaries {
  setRules(rules: CanaryRules): void;
}

const NONE: readonly string[] = [];

/** Canaries without rules. */
export function createConfigurableCanaries(): ConfigurableCanaries {
  let rules: CanaryRules = new Map();
  let changes: RuleFeed | undefined;
  let states: ReadonlyMap<string, CanaryState> = new Map();
  const endpoints = new Map<string, number>();
  const subscribers = new Set<() => void>();

  function update(): void {
    const former = states;
    const read = changes?.isRead() === true ? changes : undefined;
    states = new Map(
      [...rules].map(([service, rule]) => [
        service,
        canaryState(rule, read === undefined ? 'unread' : read.of(service)),
      ]),
    );
    for (const service of new Set([...former.keys(), ...states.keys()]))
      canaryWeight.series(service).set(states.get(service)?.weight ?? 0);
    for (const onChange of subscribers) onChange();
  }

  return {
    choose(subject) {
      if (states.size === 0) return NONE;
      const chosen = [...states].filter(([service, state]) => trackOf(service, state, subject) === 'canary');
      return chosen.length === 0 ? NONE : chosen.map(([service]) => service);
    },
    current: () => states,
    subscribe(onChange) {
      subscribers.add(onChange);
      return () => void subscribers.delete(onChange);
    },
    recordEndpoints(service, count) {
      endpoints.set(service, count);
      canaryEndpoints.series(service).set(count);
    },
    endpoints: () => endpoints,
    setRules(next) {
      rules = next;
      update();
    },
    follow(next) {
      changes = next;
      next.subscribe(update);
      update();
    },
  };
}
