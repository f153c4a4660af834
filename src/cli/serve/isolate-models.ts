/**
 * Models of `local:` run in processes of their own from now on, unless the environment says otherwise: a crash of native code must not
 * take a server or a worker down. By the environment, so that models which a config file names are isolated too.
 */
export function isolateLocalModels(env: NodeJS.ProcessEnv = process.env): void {
  env['ASSAY_LOCAL_ISOLATION'] ||= 'process';
}
