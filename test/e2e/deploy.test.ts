/** The files of `deploy` are read by what will read them: linters where they are installed, a parser else. What is not tried says why. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validate } from 'dockerfile-utils';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { schemaProblems } from '../../src/checks/json-schema.ts';
import { noRestate } from '../../src/testing/restate-server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const deploy = join(root, 'deploy');

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-deploy-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function read(name: string): string {
  return readFileSync(join(root, name), 'utf8');
}

/** The program's file, or undefined when this machine has none. */
function program(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((path) => join(path, name)).find((file) => existsSync(file));
}

/** A test that needs a program of the machine; its title says so where there is none. */
function testWith(name: string, title: string, run: (file: string) => void): void {
  const file = program(name);
  test.skipIf(file === undefined)(`${title}${file === undefined ? ` (skipped: no ${name} on this machine)` : ''}`, () =>
    run(file ?? ''),
  );
}

function ran(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(file, args, {
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, ...env },
  });
  return { status, text: `${stdout}${stderr}` };
}

describe('the image', () => {
  const text = read('deploy/Dockerfile');
  const stages = text.split(/^FROM /m).slice(1);
  const last = stages.at(-1) ?? '';

  test('the Dockerfile has no fault that a validator finds', () => {
    expect(validate(text)).toEqual([]);
    expect(validate(text.replace('USER 1000:1000', 'USR 1000')).length).toBeGreaterThan(0);
  });

  test('what it copies is there and in its context, and what it does not copy is left out', () => {
    const context =
      read('deploy/Dockerfile.dockerignore')
        .match(/^!.*$/gm)
        ?.map((line) => line.slice(1)) ?? [];
    const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) => names.split(' '));
    expect(copied.filter((name) => !existsSync(join(root, name)))).toEqual([]);
    expect(new Set(context)).toEqual(new Set(copied));
    expect(read('deploy/Dockerfile.dockerignore')).toMatch(/^\*$/m);
    const named = stages.map((stage) => /^\S+ AS (\w+)/.exec(stage)?.[1]);
    for (const [, from] of text.matchAll(/--from=(\w+)/g)) expect(named).toContain(from);
  });

  test('it is built as the package is', () => {
    expect(stages[0]).toContain('RUN node scripts/build.ts');
    expect(JSON.parse(read('package.json')).scripts.build).toBe('node scripts/build.ts');
  });

  test('the optional packages are ones whose version is locked', () => {
    const { devDependencies, peerDependencies } = JSON.parse(read('package.json'));
    const names = /OPTIONAL_PACKAGES="(.*)"/.exec(text)?.[1]?.split(' ') ?? [];
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      expect(devDependencies).toHaveProperty([name]);
      expect(peerDependencies).toHaveProperty([name]);
    }
  });

  test('it runs as nobody special, and its health is asked for by node itself', () => {
    expect(last).toMatch(/^USER 1000:1000$/m);
    expect(last).toMatch(/^HEALTHCHECK .*CMD \["node", "healthcheck\.ts"/m);
    expect(last).not.toMatch(/curl|wget|apt-get/);
    expect(last).toMatch(/^ENTRYPOINT \["node", /m);
    expect(text.match(/^ARG NODE=(\d+)\.\d+\.\d+-/m)?.[1]).toBe('24');
  });
});

interface Service {
  image?: string;
  ports?: string[];
  networks?: string[];
  volumes?: string[];
  secrets?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  restart?: string;
  command?: string[];
  deploy: { resources: { limits: { memory: string; cpus: string; pids: number } } };
}

interface Compose {
  services: Record<string, Service>;
  networks?: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, null>;
  secrets: Record<string, { file: string }>;
}

/** It needs no engine to read a file. */
const noCompose =
  program('docker') && spawnSync('docker', ['compose', 'version']).status === 0
    ? undefined
    : 'no docker with the plugin compose on this machine';

describe.each(['sqlite', 'restate', 'cluster'])('compose.%s.yaml', (shape) => {
  const file = join(deploy, `compose.${shape}.yaml`);
  const compose: Compose = parse(readFileSync(file, 'utf8'), { merge: true });
  const services = Object.entries(compose.services);

  const schema = process.env['COMPOSE_SPEC_SCHEMA'];
  const without = schema ? '' : ' (skipped: COMPOSE_SPEC_SCHEMA names no copy of compose-spec.json)';
  test.skipIf(!schema)(`keeps to the schema of the Compose Specification${without}`, () => {
    expect(schemaProblems(JSON.parse(JSON.stringify(compose)), JSON.parse(readFileSync(schema ?? '', 'utf8')))).toEqual(
      [],
    );
  });

  test('only the server has a port outside, and only on this machine', () => {
    expect(services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name)).toEqual(['serve']);
    for (const port of compose.services['serve']?.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:[\d-]+:8787$/);
  });

  test('the engine and the database are in networks that lead nowhere, or reach out without being reached', () => {
    for (const [name, { networks = [] }] of services.filter(([name]) => /^(restate|postgres|balancer)/.test(name))) {
      const closed = networks.filter((network) => compose.networks?.[network]?.internal === true);
      expect({ name, closed: closed.length }).not.toEqual({ name, closed: 0 });
    }
  });

  test('every service is confined and bounded, and comes back', () => {
    for (const [name, service] of services) {
      const { read_only, cap_drop, security_opt, restart, image } = service;
      expect({ name, read_only, cap_drop, security_opt }).toEqual({
        name,
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      expect({ name, restart }).toEqual({ name, restart: name === 'admin' ? 'no' : 'unless-stopped' });
      expect(image).toMatch(/:\d+/);
      expect(service.deploy.resources.limits).toMatchObject({
        memory: expect.stringMatching(/^\d+[gm]$/),
        cpus: expect.any(String),
        pids: expect.any(Number),
      });
    }
  });

  test('what a service names is defined, and what it mounts is there', () => {
    const all = (part: 'networks' | 'volumes' | 'secrets'): string[] =>
      services.flatMap(([, service]) => service[part] ?? []);
    const sources = all('volumes').map((volume) => volume.split(':')[0] ?? '');
    const files = sources.filter((source) => source.startsWith('.'));
    const defined = (part: object | undefined): string[] => Object.keys(part ?? {});
    expect(files.filter((file) => !existsSync(join(deploy, file)))).toEqual([]);
    expect(defined(compose.volumes)).toEqual(
      expect.arrayContaining(sources.filter((source) => !files.includes(source))),
    );
    expect(defined(compose.networks)).toEqual(expect.arrayContaining(all('networks')));
    expect(defined(compose.secrets)).toEqual(expect.arrayContaining(all('secrets')));
    for (const { file } of Object.values(compose.secrets)) expect(file).toMatch(/^\.\/secrets\//);
  });

  test('the server may not write the file of the tokens', () => {
    const tokens = compose.services['serve']?.volumes?.find((volume) => volume.startsWith('tokens:'));
    expect(tokens).toBe('tokens:/etc/assay/tokens:ro');
  });

  test.skipIf(noCompose !== undefined)(
    `is understood by docker compose${noCompose ? ` (skipped: ${noCompose})` : ''}`,
    () => {
      const env = { ...process.env, DOCKER_HOST: 'unix:///nowhere' };
      const { status, stderr } = spawnSync('docker', ['compose', '-f', file, 'config', '--quiet'], {
        encoding: 'utf8',
        env,
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
  );
});

describe('under systemd', () => {
  const units = globSync('*.{service,timer}', { cwd: join(deploy, 'systemd') });

  testWith('systemd-analyze', 'the units have no fault', (analyze) => {
    for (const unit of units) {
      // Whether the programs are installed is not the question.
      const text = read(`deploy/systemd/${unit}`).replace(/^(ExecStart=)\S+/gm, `$1${process.execPath}`);
      writeFileSync(join(folder, unit), text);
    }
    const files = units.map((unit) => join(folder, unit));
    expect(ran(analyze, ['verify', ...files])).toEqual({ status: 0, text: '' });
    writeFileSync(join(folder, 'assay-serve.service'), '[Service]\nExecStart=/bin/true\nRestrat=always\n');
    expect(ran(analyze, ['verify', join(folder, 'assay-serve.service')]).text).toContain('Restrat');
  });

  test('the programs that are started are those of the image, with options of the same names', () => {
    const optionsOf = (text: string): string[] => [...new Set(text.match(/--[a-z-]+(?=[ =])/g))].sort();
    const shapes: Compose = parse(read('deploy/compose.restate.yaml'), { merge: true });
    for (const name of ['serve', 'worker']) {
      const line = /^ExecStart=(.*)$/m.exec(read(`deploy/systemd/assay-${name}.service`))?.[1] ?? '';
      expect(line).toMatch(new RegExp(`^/usr/bin/node /opt/assay/node_modules/assay/bin/assay\\.js ${name} `));
      const inCompose = optionsOf(`${shapes.services[name]?.command?.join(' ')} `);
      expect(inCompose).toEqual(expect.arrayContaining(optionsOf(line)));
    }
  });
});

describe('Restate', () => {
  const reason = noRestate();
  test.skipIf(reason !== undefined).each(['single', 'cluster'])(
    `reads every setting of restate/%s.toml, and the environment goes before${reason ? ` (skipped: ${reason})` : ''}`,
    (name) => {
      const shim = createRequire(import.meta.url).resolve('@restatedev/restate-server/package.json');
      const platform = `@restatedev/restate-server-${process.platform}-${process.arch}`;
      const server = join(dirname(createRequire(shim).resolve(`${platform}/package.json`)), 'bin/restate-server');
      const file = join(deploy, 'restate', `${name}.toml`);
      const dump = (env: NodeJS.ProcessEnv): Map<string, string> =>
        settingsOf(spawnSync(server, ['--config-file', file, '--dump-config'], { encoding: 'utf8', env }).stdout);
      const read = dump({});
      for (const [setting, value] of settingsOf(readFileSync(file, 'utf8')))
        expect([setting, read.get(setting)]).toEqual([setting, value]);
      expect(dump({ RESTATE_BIND_IP: '0.0.0.0' }).get('bind-ip')).toBe('"0.0.0.0"');
    },
  );
});

/** The settings of a plain TOML file by their whole name. */
function settingsOf(toml: string): Map<string, string> {
  const settings = new Map<string, string>();
  let section = '';
  for (const line of toml
    .replace(/\[\n\s*([^\]]*?),?\n\]/g, (_, list: string) => `[${list.replace(/,\s+/g, ', ')}]`)
    .split('\n')) {
    section = /^\[(.+)\]$/.exec(line)?.[1] ?? section;
    const [, name, value] = /^([\w-]+) = (.+)$/.exec(line) ?? [];
    if (name && value) settings.set(section ? `${section}.${name}` : name, value);
  }
  return settings;
}

describe('proxies', () => {
  testWith('nginx', 'nginx takes its file', (nginx) => {
    const made = ran('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      '/CN=a',
      '-keyout',
      'privkey.pem',
      '-out',
      'fullchain.pem',
    ]);
    expect(made.status).toBe(0);
    const site = read('deploy/proxy/nginx.conf').replaceAll('/etc/ssl/assay', folder);
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    writeFileSync(
      join(folder, 'nginx.conf'),
      `pid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${places.join('\n')}\n${site}}\n`,
    );
    expect(ran(nginx, ['-t', '-e', `${folder}/log`, '-p', folder, '-c', join(folder, 'nginx.conf')])).toMatchObject({
      status: 0,
    });
  });

  testWith('caddy', 'Caddy takes its file', (caddy) => {
    const file = join(deploy, 'proxy/Caddyfile');
    expect(ran(caddy, ['validate', '--adapter', 'caddyfile', '--config', file], { HOME: folder })).toMatchObject({
      status: 0,
    });
  });

  testWith('haproxy', 'HAProxy takes its file', (haproxy) => {
    expect(ran(haproxy, ['-c', '-f', join(deploy, 'proxy/haproxy.cfg')])).toMatchObject({ status: 0 });
  });

  test('both leave events unbuffered and keep connections for a shorter time than the server', () => {
    const serverSeconds = Number(/keepAliveTimeout: (\d)_000/.exec(read('src/server/listen.ts'))?.[1]);
    const [nginx, caddy] = [read('deploy/proxy/nginx.conf'), read('deploy/proxy/Caddyfile')];
    expect(nginx).toMatch(/proxy_buffering off;/);
    expect(caddy).toMatch(/flush_interval -1/);
    expect(Number(/keepalive_timeout (\d+)s;/.exec(nginx)?.[1])).toBeLessThan(serverSeconds);
    expect(Number(/keepalive (\d+)s/.exec(caddy)?.[1])).toBeLessThan(serverSeconds);
  });
});

describe.each(['docs/deployment.md', 'docs/deployment.zh-CN.md'])('%s', (name) => {
  const text = read(name);
  const own = globSync('**/*', { cwd: deploy }).filter((file) => statSync(join(deploy, file)).isFile());

  test('names every file of deploy, and no file that is not there', () => {
    const named = new Set(text.match(/deploy\/[\w./-]*[\w]/g));
    expect(own.filter((file) => !named.has(`deploy/${file}`))).toEqual([]);
    expect([...named].filter((file) => !existsSync(join(root, file)) && !file.startsWith('deploy/secrets'))).toEqual(
      [],
    );
  });

  test('names the versions of packages that are locked', () => {
    const { devDependencies, version } = JSON.parse(read('package.json'));
    const named = [...text.matchAll(/ (@?[a-z][\w/-]+)@(\d[\d.]+\d)/g)];
    expect(named.length).toBeGreaterThan(2);
    for (const [, name = '', said] of named) expect([name, devDependencies[name]]).toEqual([name, said]);
    expect(text).toContain(`assay-${version}.tgz`);
  });

  test('has the same commands in both languages', () => {
    const blocksOf = (markdown: string): string[] =>
      [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code.replace(/ *#.*$/gm, ''));
    expect(blocksOf(text)).toEqual(blocksOf(read('docs/deployment.md')));
    expect(blocksOf(text).length).toBeGreaterThan(5);
  });

  test('tells what every failure does, in as many rows as the other', () => {
    const rows = (markdown: string): number => markdown.split('\n').filter((line) => line.startsWith('|')).length;
    expect(rows(text)).toBe(rows(read('docs/deployment.md')));
  });
});
