/** A request as the simulator received it. */
export interface SimRequest {
  method: string;
  /** The path with its query. */
  url: URL;
  headers: Record<string, string>;
  body: string;
}

export interface SimResponse {
  status: number;
  headers?: Record<string, string>;
  body: string | Uint8Array;
}

/** A scripted upstream: a pure function from request to response, mounted under `/<id>`. */
export interface SimUpstream {
  id: string;
  handle(request: SimRequest): SimResponse | undefined;
}
