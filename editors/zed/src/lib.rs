//! Tells Zed how to start the language server of EZ, `ez lsp`, and its debug adapter, `ez dap`.

use std::collections::BTreeMap;

use zed_extension_api::{
    self as zed, Command, DebugAdapterBinary, DebugConfig, DebugRequest, DebugScenario, DebugTaskDefinition,
    LanguageServerId, StartDebuggingRequestArguments, StartDebuggingRequestArgumentsRequest as Kind,
    Worktree,
    serde_json::{Value, from_str, json},
};

struct Ez;

/// The path of `ez`.
fn program(worktree: &Worktree) -> Result<String, String> {
    worktree.which("ez").ok_or_else(|| "there is no 'ez' in the PATH".into())
}

/// Whether a configuration launches a program or attaches to one.
fn kind(configuration: &Value) -> Result<Kind, String> {
    match configuration["request"].as_str() {
        Some("launch") => Ok(Kind::Launch),
        Some("attach") => Ok(Kind::Attach),
        _ => Err("'request' has to be \"launch\" or \"attach\"".into()),
    }
}

impl zed::Extension for Ez {
    fn new() -> Ez {
        Ez
    }

    fn language_server_command(
        &mut self,
        _server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command, String> {
        Ok(Command { command: program(worktree)?, args: vec!["lsp".into()], env: Vec::new() })
    }

    fn get_dap_binary(
        &mut self,
        _adapter: String,
        task: DebugTaskDefinition,
        configured: Option<String>,
        worktree: &Worktree,
    ) -> Result<DebugAdapterBinary, String> {
        let configuration: Value = from_str(&task.config).map_err(|error| error.to_string())?;
        let command = configured.map_or_else(|| program(worktree), Ok)?;
        Ok(DebugAdapterBinary {
            command: Some(command),
            arguments: vec!["dap".into()],
            envs: Vec::new(),
            cwd: Some(worktree.root_path()),
            connection: None,
            request_args: StartDebuggingRequestArguments {
                request: kind(&configuration)?,
                configuration: task.config,
            },
        })
    }

    fn dap_request_kind(&mut self, _adapter: String, configuration: Value) -> Result<Kind, String> {
        kind(&configuration)
    }

    fn dap_config_to_scenario(&mut self, config: DebugConfig) -> Result<DebugScenario, String> {
        let DebugRequest::Launch(launch) = config.request else {
            return Err("EZ programs are attached to by port: write a configuration in debug.json".into());
        };
        let env: BTreeMap<String, String> = launch.envs.into_iter().collect();
        let configuration = json!({
            "request": "launch",
            "program": launch.program,
            "args": launch.args,
            "cwd": launch.cwd,
            "env": env,
            "stopOnEntry": config.stop_on_entry.unwrap_or(false),
        });
        Ok(DebugScenario {
            label: config.label,
            adapter: config.adapter,
            build: None,
            config: configuration.to_string(),
            tcp_connection: None,
        })
    }
}

zed::register_extension!(Ez);
