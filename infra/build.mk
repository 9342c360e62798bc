# How `sam build` makes the artifact of each function: its own folder, shared/ and its own locked dependencies, all with
# byte code. ARCH and PYTHON_VERSION must be what the template's Architecture and LambdaRuntime say.
ARCH ?= arm64
PYTHON_VERSION ?= 3.13
export ARCH PYTHON_VERSION

# What the functions call; botocore describes hundreds of services more.
AWS_CLIENTS = dynamodb sqs secretsmanager
ARTIFACTS = build-ChatFunction build-RoleMemoryFunction build-MemoryApiFunction build-AuthorizerFunction

.PHONY: build validate $(ARTIFACTS)
.SILENT: $(ARTIFACTS)

## Build the functions for AWS into .aws-sam/build (ARCH=x86_64 for Intel)
build:
	$(SAM) build --parameter-overrides Architecture=$(ARCH) LambdaRuntime=python$(PYTHON_VERSION)

## Check the template
validate:
	$(SAM) validate

build-ChatFunction: function = chat
build-RoleMemoryFunction: function = role_memory
build-MemoryApiFunction: function = memory_api
build-AuthorizerFunction: function = authorizer

$(ARTIFACTS):
	mkdir -p "$(ARTIFACTS_DIR)/functions"
	cp functions/__init__.py "$(ARTIFACTS_DIR)/functions"
	cp -R functions/$(function) "$(ARTIFACTS_DIR)/functions"
	cp -R shared "$(ARTIFACTS_DIR)"
	$(UV) export --quiet --frozen --only-group $(function) --output-file "$(ARTIFACTS_DIR)/lock" > /dev/null
	$(UV) pip install --quiet --target "$(ARTIFACTS_DIR)" --requirement "$(ARTIFACTS_DIR)/lock" \
	    --python-platform $(ARCH:arm64=aarch64)-manylinux2014 --python-version $(PYTHON_VERSION) \
	    --only-binary :all: --require-hashes
	cd "$(ARTIFACTS_DIR)" && rm -rf bin lock boto3/examples boto3/data && chmod -R a+rX . && \
	    find . \( -name __pycache__ -o -name '*.pyi' -o -path '*/swagger_ui/*.min.*' \) -prune -exec rm -rf {} + && \
	    if [ -d botocore ]; then \
	        find botocore/data -mindepth 1 -maxdepth 1 -type d $(AWS_CLIENTS:%=! -name %) -exec rm -rf {} +; \
	    fi
	if python=$$($(UV) python find --no-project $(PYTHON_VERSION) 2> /dev/null); then \
	    $$python -m compileall -q -j 0 --invalidation-mode unchecked-hash \
	        -s "$(ARTIFACTS_DIR)" -p /var/task "$(ARTIFACTS_DIR)"; \
	else \
	    echo "$(function): no byte code, so slow cold starts, as there is no Python $(PYTHON_VERSION) here." \
	        "Run: $(UV) python install $(PYTHON_VERSION)"; \
	fi
