import type { AgentSettings, HelloRequest } from '@fairlead/agent-channel/messages';
import type { AgentTask } from '@fairlead/agent-channel/poll-answer';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { AgentChannel } from '../channel/agent-channel.ts';
import { Backoff } from '../channel/backoff.ts';
import { describeFailure, UnavailableError } from '../channel/channel-errors.ts';
import { pause, retrying } from './pause.ts';
import { TaskSet } from './task-set.ts';

/** Pause after empty responses that arrive at once, in case a server keeps sending them. */
const EMPTY_PAUSE_MS = 500;
const AT_ONCE_MS = 200;
/** Number of consecutive empty responses without a pause; draining replicas send them. */
const FREE_EMPTY_ANSWERS = 3;
/** Time after which the next poll is sent while a task still runs. */
const HEAD_START_MS = 5;
const GOODBYE_TIMEOUT_MS = 3_000;

/** The dependencies of the poll loop. */
export interface PollLoopDeps {
  readonly channel: Pick<AgentChannel, 'hello' | 'poll' | 'goodbye'>;
  readonly hello: HelloRequest;
  readonly setLogLevel: (level: AgentSettings['logLevel']) => void;
  /** Runs a task and delivers its result; never rejects. */
  readonly runTask: (task: AgentTask, signal: AbortSignal) => Promise<void>;
  readonly shutdownGraceMs: number;
  readonly backoff?: Backoff;
  readonly log: Logger;
}

/** Registers at the platform and polls for tasks, with one open poll at all times, until the process ends. */
export class PollLoop {
  readonly #deps: PollLoopDeps;
  readonly #backoff: Backoff;
  readonly #tasks: TaskSet;
  readonly #done = new AbortController();
  #settings: AgentSettings | undefined;
  #isStopping = false;
  #isConnected: boolean | undefined;
  /** The open poll, and whether it was sent without a free slot. */
  #poll: { readonly abort: AbortController; readonly isFull: boolean } | undefined;

  constructor(deps: PollLoopDeps) {
    this.#deps = deps;
    this.#backoff = deps.backoff ?? new Backoff();
    this.#tasks = new TaskSet(deps.runTask, () => {
      // The open poll cannot return a call, because it was sent without a free slot.
      if (this.#poll?.isFull === true) this.#poll.abort.abort();
    });
  }

  /**
   * Resolves after `stop` has aborted, running tasks have had time to end, and the platform knows that the process
   * ends. Rejects with TokenRefusedError and ReplacedError.
   */
  async run(stop: AbortSignal): Promise<void> {
    const stopping = (): void => void this.#stop();
    if (stop.aborted) stopping();
    stop.addEventListener('abort', stopping, { once: true });
    try {
      await this.#hello();
      await this.#pollUntilDone();
      // Also if the hello got no response, because it may have arrived.
      await this.#goodbye();
    } finally {
      stop.removeEventListener('abort', stopping);
      this.#tasks.cancel(this.#tasks.ids);
    }
  }

  /** Applies new settings. */
  applySettings(settings: AgentSettings): void {
    const before = this.#settings;
    this.#settings = settings;
    this.#deps.setLogLevel(settings.logLevel);
    if (!this.#isStopping) this.#tasks.setSlots(settings.parallelTasks);
    if (JSON.stringify(before) !== JSON.stringify(settings))
      this.#deps.log.info({ settings }, 'settings applied');
  }

  async #hello(): Promise<void> {
    const { channel, hello, log } = this.#deps;
    const { signal } = this.#done;
    try {
      const { agentId, name, applicationSlug, settings } = await retrying(
        () => channel.hello(hello, signal),
        {
          signal,
          backoff: this.#backoff,
          onFailure: (error) => this.#failed(error),
        },
      );
      this.#succeeded();
      log.info({ agentId, agentName: name, applicationSlug, ...hello }, 'agent is ready');
      this.applySettings(settings);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #pollUntilDone(): Promise<void> {
    let empty = 0;
    while (!this.#done.signal.aborted) {
      const { freeSlots } = this.#tasks;
      const abort = new AbortController();
      this.#poll = { abort, isFull: freeSlots === 0 };
      const sentAt = performance.now();
      try {
        const answer = await this.#deps.channel.poll({ freeSlots, taskIds: this.#tasks.ids }, abort.signal);
        this.#succeeded();
        if (answer !== undefined) this.applySettings(answer.settings);
        this.#tasks.cancel(answer?.cancelledTaskIds ?? []);
        const started = (answer?.tasks ?? []).flatMap((task) => this.#start(task) ?? []);
        const isSlow = performance.now() - sentAt > AT_ONCE_MS;
        empty = started.length > 0 || isSlow ? 0 : empty + 1;
        if (started.length > 0) await this.#headStart(started);
        if (empty > FREE_EMPTY_ANSWERS) await pause(EMPTY_PAUSE_MS, this.#done.signal);
      } catch (error) {
        if (error instanceof UnavailableError) await this.#waitAfter(error);
        else if (!abort.signal.aborted && !this.#done.signal.aborted) throw error;
      } finally {
        this.#poll = undefined;
      }
    }
  }

  /** The end of a started task. */
  #start(task: AgentTask): Promise<void> | undefined {
    // The platform will give the task to another process.
    if (this.#isStopping) return undefined;
    const end = this.#tasks.start(task);
    if (end !== undefined) this.#deps.log.debug({ taskId: task.id, kind: task.kind }, 'task taken');
    return end;
  }

  /**
   * Waits until short tasks have delivered their results before the next poll, because their callers wait and a poll would
   * delay them.
   */
  async #headStart(ends: readonly Promise<void>[]): Promise<void> {
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, HEAD_START_MS);
    await Promise.race([Promise.all(ends), over.promise]);
    clearTimeout(timer);
  }

  async #waitAfter(error: UnavailableError): Promise<void> {
    this.#failed(error);
    try {
      await pause(this.#backoff.next(), this.#done.signal);
    } catch {
      // The process ends.
    }
  }

  /** Accepts no more tasks, and ends the loop when the current ones have ended or their time is over. */
  async #stop(): Promise<void> {
    const { log, shutdownGraceMs } = this.#deps;
    this.#isStopping = true;
    log.info({ tasks: this.#tasks.ids.length }, 'agent stops');
    this.#tasks.setSlots(0);
    // The open poll might return a call.
    if (this.#poll?.isFull === false) this.#poll.abort.abort();
    const limit = new AbortController();
    const timeout = pause(shutdownGraceMs, limit.signal).catch(() => undefined);
    await Promise.race([this.#tasks.idle(), timeout]);
    limit.abort();
    this.#done.abort();
    this.#poll?.abort.abort();
  }

  async #goodbye(): Promise<void> {
    try {
      await this.#deps.channel.goodbye(AbortSignal.timeout(GOODBYE_TIMEOUT_MS));
    } catch (error) {
      this.#deps.log.warn(
        { reason: describeFailure(error) },
        'the platform could not be told that the agent ends',
      );
    }
  }

  #succeeded(): void {
    this.#backoff.reset();
    if (this.#isConnected !== true) this.#deps.log.info('connected to the platform');
    this.#isConnected = true;
  }

  #failed(error: UnavailableError): void {
    const reason = describeFailure(error);
    const message = 'the platform cannot be reached; trying again';
    if (this.#isConnected === false) this.#deps.log.debug({ reason }, message);
    else this.#deps.log.warn({ reason }, message);
    this.#isConnected = false;
  }
}
