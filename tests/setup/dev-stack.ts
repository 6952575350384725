/** The members of `.fairlead/dev.json` that tests use. */
export interface DevStack {
  readonly baseUrl: string;
  readonly mcpUrl: string;
  readonly openapiUrl: string;
  readonly docsUrl: string;
  readonly pid: number;
  readonly mongodbUri: string;
  readonly natsUrl: string;
  readonly operatorKey: string;
  /** HTTP/1.1 address per service. */
  readonly services: Readonly<Record<string, string>>;
  /** gRPC address per service. */
  readonly grpc: Readonly<Record<string, string>>;
  /** Admin address (metrics) of the gateway and each service. */
  readonly admin: Readonly<Record<string, string>>;
  readonly account: SeededAccount;
  readonly otherAccount: SeededAccount;
  readonly sandboxCrm: {
    readonly url: string;
    readonly apiKey: string;
    readonly adminKey: string;
    readonly user: string;
    readonly password: string;
    readonly oauthClientId: string;
    readonly oauthClientSecret: string;
  };
  readonly samples: { readonly mcpServerUrl: string; readonly postgresUrl: string };
}

interface SeededAccount {
  readonly accountId: string;
  readonly apiKey: string;
  readonly ownerEmail: string;
  readonly ownerPassword: string;
}
