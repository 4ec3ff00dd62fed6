/** A request to a provider as plain data, so that building one is pure. Header names are lower case. */
export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** A provider's response as plain data; the body is read, decoded and bounded. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The URL that responded, after redirects. */
  url: string;
  /** How it was found, if it was replayed and not for the very same request. */
  replayed?: 'canonical';
}
